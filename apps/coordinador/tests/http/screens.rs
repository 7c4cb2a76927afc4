//! The screens and their filters, as the browser asks for them.

use serde_json::json;
use snmp::sim::{Options, Simulator};

use crate::network::{Network, from_ten, get, olt, ten, walk};

#[tokio::test(flavor = "multi_thread")]
async fn screens_are_narrowed_by_their_address() {
    from_ten(async |network| {
        let olt = network.made("olts", olt("OLT-1", 161)).await;
        for number in 0..101 {
            network.made("nodos", get(olt, &format!("n{number:03}"))).await;
        }
        for (path, there) in [
            ("/coordinador", "Nodos cerca de su cuota"),
            ("/coordinador/nodos?tipo=get&habilitado=si", "&#38;tipo=get&#38;cursor=100"),
            ("/coordinador/nodos?q=n100&olt_id=&cursor=", "n100"),
            ("/coordinador/nodos/1", "Su rejilla"),
            ("/coordinador/olts?q=olt&habilitada=si&salud=SIN_DATOS", "OLT-1"),
            ("/coordinador/olts/1?q=&presence=ENABLED", "OLT-1"),
            ("/coordinador/plan?max_get=5&ventana_segundos=", "{&#34;max_get&#34;:5}"),
            ("/coordinador/plantillas/nueva", "value=\"900\""),
            ("/coordinador/ejecuciones?status=RUNNING&nodo_id=1", "value=\"1\""),
            ("/coordinador/limites", "Empiezan por minuto"),
        ] {
            let page = network.client.get(path).await;
            assert_eq!(page.status, 200, "{path}: {}", page.text);
            assert!(page.text.contains(there), "{path}: {}", page.text);
        }
    })
    .await;
}

/// The places of the ONUs on a page of an OLT, as numbers.
fn places(page: &str) -> Vec<Vec<u32>> {
    let rows = page.split("data-key=\"u").skip(1);
    let heads = rows.filter_map(|row| row.split_once("</th>")?.0.rsplit_once('>'));
    heads.map(|(_, place)| place.split('/').map(|part| part.parse().unwrap()).collect()).collect()
}

async fn known_of_all(network: &Network) {
    let store = &network.context().store;
    let mut decision = store.decide(&db::Scope::new("test"), ten()).await.unwrap();
    let sql = "UPDATE onus SET serial = 'HWTC' || raw_index, distance = '1.25'";
    decision.tx.execute(sql, &[]).await.unwrap();
    decision.commit().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn onus_stand_by_their_place_and_in_words() {
    let options = Options { count: 1, onus: 120, ..Options::default() };
    let fleet = Simulator::start(options).await.expect("a simulator");
    let port = fleet.addresses()[0].port();
    from_ten(async |network| {
        let here = network.made("olts", olt("A", port)).await;
        let node = network.made("nodos", walk(here, "d")).await;
        let path = format!("/api/coordinador/nodos/{node}/ejecutar");
        network.client.post(&path, json!({})).await.expect(202);
        network.client.advance(60).await;
        known_of_all(network).await;
        let own = format!("/coordinador/olts/{here}");
        let next = format!("class=\"button\" href=\"{own}?cursor=");
        let (mut path, mut seen) = (own.clone(), Vec::new());
        for _ in 0..3 {
            let page = network.client.get(&path).await;
            assert_eq!(page.status, 200, "{}", page.text);
            let text = page.text;
            assert!(text.contains("<span title=\"ACTIVO\">Activa</span>"), "{text}");
            assert!(text.contains("1,250\u{a0}km"), "{text}");
            assert!(!text.contains("<th scope=\"col\">MAC</th>"), "nobody has one: {text}");
            seen.extend(places(&text));
            let Some((_, rest)) = text.split_once(&next) else { break };
            let cursor: String = rest.chars().take_while(char::is_ascii_digit).collect();
            path = format!("{own}?cursor={cursor}");
        }
        assert_eq!(seen.len(), 120, "every one once: {seen:?}");
        assert!(seen.windows(2).all(|two| two[0] < two[1]), "1/1/2 before 1/1/10: {seen:?}");
        let found = network.client.get("/api/search?q=hwtc").await.expect(200);
        let first = &found["items"][0];
        let index = first["title"].as_str().unwrap().strip_prefix("HWTC").unwrap();
        assert_eq!(first["detail"], format!("A · {index}"), "{found}");
        assert_eq!(first["href"], format!("{own}?q={index}#onus"), "{found}");
    })
    .await;
}
