#[path = "../tests/console/house.rs"]
mod house;
use host::*;
#[tokio::main]
async fn main() {
    let h = house::House::new(Access::Open).await;
    let c = h.context.clone();
    c.raise(Alert{app:"demo",fingerprint:"demo/worker-silent".into(),severity:Severity::Critical,title:"Sin señales del trabajador".into(),detail:"hace 2 minutos que no corre".into()}).await.unwrap();
    let a = Actor::system();
    change_setting(&c,&a,"demo","PLACES",serde_json::json!(12),None).await.unwrap().unwrap();
    let g=[Grant{app:"demo".into(),role:"JEFE".into()}];
    accounts::put_user(&c.store,&a,"jefa","correct horse",&g,c.clock.now()).await.unwrap();
    accounts::create_token(&c.store,&a,"caja",&g,None,c.clock.now()).await.unwrap();
    let l = tokio::net::TcpListener::bind("127.0.0.1:18765").await.unwrap();
    let r = start(c, l).unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(90)).await;
    r.stop().await;
}
