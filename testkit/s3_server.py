"""An S3 server for tests: moto on a free port of loopback, with one bucket and one pair of keys that
it insists on. It prints one line of JSON that says where it is, and ends when its input does."""

import json
import sys

import boto3
import requests
from moto.server import ThreadedMotoServer

BUCKET = "papers"

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
endpoint = f"http://{host}:{port}"


def client(service):
    return boto3.client(service, endpoint_url=endpoint, region_name="us-east-1",
                        aws_access_key_id="nobody", aws_secret_access_key="nobody")


client("s3").create_bucket(Bucket=BUCKET)
iam = client("iam")
iam.create_user(UserName="docproc")
statement = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
policy = {"Version": "2012-10-17", "Statement": [statement]}
iam.put_user_policy(UserName="docproc", PolicyName="files", PolicyDocument=json.dumps(policy))
keys = iam.create_access_key(UserName="docproc")["AccessKey"]
# From here on every request has to be signed with these keys.
requests.post(f"{endpoint}/moto-api/reset-auth", data=b"0", timeout=10).raise_for_status()
print(json.dumps({"endpoint": endpoint, "bucket": BUCKET, "id": keys["AccessKeyId"],
                  "secret": keys["SecretAccessKey"]}), flush=True)
sys.stdin.read()
