//! net-snmp's tools against the simulator: strangers understand it as we do.

use snmp::sim::{Brand, Column, Options, Simulator};
use snmp::{CancellationToken, Credential, Fleet, Target, Walk};

use crate::process::TestDir;
use crate::reading::{Tool, same};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_simulated_fleet_is_understood_by_others() {
    let state = TestDir::new();
    let Some(bulk) = Tool::find("snmpbulkwalk", state.path()) else { return };
    let Some(next) = Tool::find("snmpwalk", state.path()) else { return };
    let Some(get) = Tool::find("snmpget", state.path()) else { return };
    let sim = Simulator::start(Options { onus: 200, ..Options::default() }).await.expect("free");
    let port = sim.addresses()[0].port();
    let target = Target::new("127.0.0.1", port, Credential::v2c("public"));
    let fleet = Fleet::bind().expect("a socket");
    let keys = "-A turno-auth-key -X turno-priv-key";
    for column in [Column::State, Column::Serial, Column::Description, Column::Mac] {
        let root = Brand::Huawei.oid(column);
        let walk = Walk::new(root.clone());
        let rows = fleet.walk(&target, &walk, &CancellationToken::new()).await.expect("ours").rows;
        let ours: Vec<_> = rows.into_iter().map(|row| (root.join(&row.index), row.value)).collect();
        assert_eq!(ours.len(), 200);
        let name = root.to_string();
        for (tool, login) in [
            (&next, "-v1 -c public".to_owned()),
            (&bulk, "-v2c -c public -Cr25".to_owned()),
            (&bulk, "-v3 -l noAuthNoPriv -u turno-open".to_owned()),
            (&bulk, format!("-v3 -l authNoPriv -u turno-auth -a SHA-256 {keys}")),
            (&bulk, format!("-v3 -l authPriv -u turno-priv -a SHA-256 -x AES {keys}")),
        ] {
            same(&ours, &tool.read(&login, port, &name));
        }
        let one = get.read("-v2c -c public", port, &ours[7].0.to_string());
        same(&ours[7..8], &one);
    }
}
