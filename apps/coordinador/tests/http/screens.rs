//! The screens and their filters, as the browser asks for them.

use crate::network::{from_ten, get, olt};

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
