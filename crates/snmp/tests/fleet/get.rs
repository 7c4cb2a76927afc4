//! Many values of one device.

use std::time::Duration;

use snmp::sim::{Brand, Column};
use snmp::{Answer, CancellationToken, Credential, Fault, Get, Missing, Oid, Value};

use crate::rig::{Rig, SHORT, names};

fn quick(oids: Vec<Oid>) -> Get {
    Get { timeout: SHORT, retries: 0, ..Get::new(oids) }
}

fn count(answers: &[Answer], so: impl Fn(&Answer) -> bool) -> usize {
    answers.iter().filter(|answer| so(answer)).count()
}

#[tokio::test]
async fn values_come_in_the_order_they_were_asked() {
    let rig = Rig::new(400).await;
    let oids = names(&rig, Column::Description, 400).await;
    let before = rig.received(0);
    let got = rig.get(&Get::new(oids)).await.expect("all of them");
    assert_eq!(rig.received(0) - before, 20, "twenty per packet");
    for (at, answer) in got.answers.iter().enumerate() {
        let text = format!("CLI-000-{at:05}").into_bytes();
        assert_eq!(answer, &Answer::Value(Value::Bytes(text)));
    }
}

#[tokio::test]
async fn three_missing_and_two_mute_cost_only_themselves() {
    let rig = Rig::new(400).await;
    let mut oids = names(&rig, Column::Description, 397).await;
    let port = Brand::Huawei.oid(Column::Description);
    oids.extend((100..103).map(|onu| port.join(&Oid::new([4_194_304_000, onu]))));
    rig.change(|olt| olt.mute_onus = vec![7, 250]);
    let got = rig.get(&quick(oids)).await.expect("most of them");
    assert_eq!(count(&got.answers, |answer| matches!(answer, Answer::Value(_))), 395);
    assert_eq!(count(&got.answers, |a| *a == Answer::Missing(Missing::Instance)), 3);
    assert_eq!(got.answers[7], Answer::Fault(Fault::Timeout));
    assert_eq!(got.answers[250], Answer::Fault(Fault::Timeout));
}

#[tokio::test]
async fn what_is_missing_says_how() {
    let rig = Rig::new(3).await;
    let oids = ["1.3.6.1.2.1.1.5.0", "1.3.6.1.4.1.2011.6.128.1.1.2.43.1.9.1.1", "1.3.6.1.4.1.9.9"];
    let oids: Vec<Oid> = oids.iter().map(|oid| oid.parse().expect("a name")).collect();
    let got = rig.get(&quick(oids.clone())).await.expect("answers");
    let name = Answer::Value(Value::Bytes(b"OLT-000".to_vec()));
    let missing = [Missing::Instance, Missing::Object].map(Answer::Missing);
    assert_eq!(got.answers, [name.clone(), missing[0].clone(), missing[1].clone()]);
    let v1 = rig.target_as(0, Credential::v1("public"));
    let got = rig.fleet.get(&v1, &quick(oids), &CancellationToken::new()).await.expect("answers");
    let absent = Answer::Missing(Missing::Object);
    assert_eq!(got.answers, [name, absent.clone(), absent], "v1 knows one kind of absence");
}

#[tokio::test]
async fn answers_too_big_are_asked_in_parts() {
    let rig = Rig::new(100).await;
    let oids = names(&rig, Column::Description, 100).await;
    rig.change(|olt| olt.max_bytes = 484);
    for credential in [Credential::v2c("public"), Credential::v1("public")] {
        let target = rig.target_as(0, credential);
        let got = rig.fleet.get(&target, &quick(oids.clone()), &CancellationToken::new()).await;
        let answers = got.expect("in parts").answers;
        assert_eq!(count(&answers, |answer| matches!(answer, Answer::Value(_))), 100);
    }
}

#[tokio::test]
async fn a_device_that_dies_is_not_asked_everything() {
    let rig = Rig::new(2048).await;
    let oids = names(&rig, Column::Description, 2048).await;
    rig.change(|olt| olt.alive = false);
    let before = rig.received(0);
    let got = rig.get(&quick(oids)).await.expect("answers, all the same");
    assert_eq!(count(&got.answers, |a| *a == Answer::Fault(Fault::Timeout)), 2048);
    assert!(rig.received(0) - before <= 12, "{}", rig.received(0) - before);
}

#[tokio::test]
async fn four_at_a_time_whatever_number_of_jobs() {
    let rig = Rig::with(400, |olt| olt.latency_ms = 20).await;
    let oids = names(&rig, Column::Serial, 400).await;
    let get = Get::new(oids);
    let target = rig.target(0);
    let none = CancellationToken::new();
    let since = tokio::time::Instant::now();
    let (first, second) =
        tokio::join!(rig.fleet.get(&target, &get, &none), rig.fleet.get(&target, &get, &none));
    // Forty questions, four at a time, twenty milliseconds each.
    assert!(since.elapsed() >= Duration::from_millis(200), "{:?}", since.elapsed());
    for got in [first, second] {
        let answers = got.expect("all of them").answers;
        assert_eq!(count(&answers, |answer| matches!(answer, Answer::Value(_))), 400);
    }
}

#[tokio::test]
async fn nothing_to_get_is_nothing_to_do() {
    let rig = Rig::new(1).await;
    assert_eq!(rig.get(&Get::new(Vec::new())).await.expect("nothing").answers, []);
    assert_eq!(rig.received(0), 0);
}

#[tokio::test]
async fn loss_is_asked_again() {
    let rig = Rig::with(1000, |olt| olt.loss_pct = 5.0).await;
    let oids = names(&rig, Column::Mac, 1000).await;
    let get = Get { timeout: SHORT, ..Get::new(oids) };
    let got = rig.get(&get).await.expect("all of them");
    assert_eq!(count(&got.answers, |answer| matches!(answer, Answer::Value(_))), 1000);
}
