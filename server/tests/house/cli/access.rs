//! Who gets in: nobody from the network until somebody can sign in.

use testkit::{Answer, Client};

use super::program::{Home, order};

async fn status(client: &Client, path: &str, accept: &str) -> (u16, Option<String>) {
    let request = client.request("GET".parse().unwrap(), path).header("accept", accept);
    let answer = Answer::of(request, path).await;
    (answer.status, answer.header("location").map(str::to_owned))
}

#[tokio::test]
async fn the_network_is_closed_until_a_user_exists() {
    let home = Home::new();
    home.run("serve --listen 0.0.0.0:0")
        .refused(5, &["nobody can sign in yet", "hint: add the first user: turno user add"]);
    let add = "user add ana --role ADMIN --password-stdin";
    home.run_with(add, &[], "una clave larga\n").ok();
    let served = home.serve("0.0.0.0");
    let stranger = served.client();
    assert_eq!(status(&stranger, "/pedidos", "application/json").await.0, 401);
    let (code, location) = status(&stranger, "/mostrador", "text/html").await;
    assert_eq!((code, location.as_deref()), (303, Some("/login?back=/mostrador")));

    // Both work on the database while the server runs.
    let secret = home.run("token create till --role pedidos:CAJERO").ok();
    let till = stranger.with_token(secret.trim());
    till.post("/pedidos", order("Lomo")).await.expect(201);
    home.run("token revoke till").ok();
    assert_eq!(till.get("/pedidos").await.status, 401);
}

#[tokio::test]
async fn a_role_opens_only_its_own_doors() {
    let home = Home::new();
    let secret = home.run("token create pase --role pedidos:COCINA").ok();
    let served = home.serve("127.0.0.1");
    let kitchen = served.client().with_token(secret.trim());
    assert_eq!(kitchen.get("/comandas").await.status, 200);
    assert_eq!(kitchen.post("/pedidos", order("Lomo")).await.status, 403);
    // On loopback nobody is asked, but a wrong credential is still wrong.
    assert_eq!(served.client().get("/pedidos").await.status, 200);
    assert_eq!(served.client().with_token("turno_nonsense").get("/pedidos").await.status, 401);
}
