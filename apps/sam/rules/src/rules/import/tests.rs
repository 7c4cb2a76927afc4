//! Tests of reading and writing sheets.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn rows(sheet: Sheet, text: &str) -> Vec<Json> {
    let rows = read(sheet, text.as_bytes()).expect("it is right");
    rows.into_iter().map(|row| Json::Object(row.fields)).collect()
}

fn wrong(sheet: Sheet, text: &str) -> Vec<(usize, String)> {
    let bad = read(sheet, text.as_bytes()).expect_err("it is refused");
    assert!(bad.iter().all(|bad| !bad.es.is_empty() && !bad.en.is_empty()));
    bad.into_iter().map(|bad| (bad.line, bad.column.unwrap_or_default())).collect()
}

fn at(line: usize, column: &str) -> (usize, String) {
    (line, column.to_owned())
}

#[test]
fn robots_by_the_names_of_the_contract_or_of_the_original() {
    let text = "id;Robot;EsOnline;MaxEquipos;Parámetros\r\n7;Altas;sí;-1;\"{\"\"a\"\": 1}\"\r\n;Bajas;0;;\r\n";
    let expected = [
        json!({ "id": 7, "robot": "Altas", "es_online": true, "max_equipos": -1,
                "parametros": { "a": 1 } }),
        json!({ "id": null, "robot": "Bajas", "es_online": false, "max_equipos": null,
                "parametros": null }),
    ];
    assert_eq!(rows(Sheet::Robots, text), expected);
    let first = &read(Sheet::Robots, text.as_bytes()).unwrap()[0];
    assert_eq!((first.line, first.id()), (2, Some(7)));
}

#[test]
fn one_bad_row_and_nothing_is_taken() {
    let text =
        "robot,min_equipos,max_equipos,activo\nA,1,5,si\nB,x,5,quizás\nC,9,5,no\n,1,1,1\nD,1\n";
    let expected =
        [at(3, "min_equipos"), at(3, "activo"), at(4, "max_equipos"), at(5, "robot"), at(6, "")];
    assert_eq!(wrong(Sheet::Robots, text), expected);
}

#[test]
fn two_rows_about_the_same_are_refused() {
    let text = "id,equipo,user_id\n1,PC1,5\n2,pc1,5\n1,PC3,6\n";
    assert_eq!(wrong(Sheet::Runners, text), [at(4, "id"), at(3, "equipo")]);
}

#[test]
fn headings_are_known_single_and_enough() {
    let text = "equipo,Equipo,color\nPC1,PC1,azul\n";
    let expected = [at(1, "Equipo"), at(1, "color"), at(1, "user_id")];
    assert_eq!(wrong(Sheet::Runners, text), expected);
    assert_eq!(wrong(Sheet::Runners, "  \n"), [at(1, "")]);
}

#[test]
fn schedules_are_checked_by_the_calendar() {
    let heading = "robot_id,tipo_programacion,hora_inicio,dias_semana,hora_fin,equipos";
    let good = format!("{heading}\n3,Semanal,09:00,Lu Mi,,4 5\n");
    let expected = json!({ "robot_id": 3, "tipo_programacion": "Semanal", "hora_inicio": "09:00",
                           "dias_semana": ["Lu", "Mi"], "hora_fin": null, "equipos": [4, 5] });
    assert_eq!(rows(Sheet::Schedules, &good), [expected]);
    let torn = format!("{heading}\n3,Semanal,25:00,,09:00,\n3,Diaria,09:00,Lu,09:00,4 x\n");
    let expected = [at(2, "dias_semana"), at(2, "hora_inicio"), at(3, "equipos")];
    assert_eq!(wrong(Sheet::Schedules, &torn), expected);
}

#[test]
fn what_is_no_csv_is_told_with_its_line() {
    assert_eq!(wrong(Sheet::Robots, "robot\n\"A\n"), [at(2, "")]);
    let latin = b"robot\nA\xf1o\n";
    let bad = read(Sheet::Robots, latin).unwrap_err();
    assert!(bad[0].line == 2 && bad[0].es.contains("UTF-8"));
    let long = format!("robot\n{}", "A\n".repeat(10_001));
    assert_eq!(wrong(Sheet::Robots, &long), [at(10_002, "")]);
}

#[test]
fn there_is_an_end_to_what_is_told() {
    let many = format!("robot,activo\n{}", "A,quizás\n".repeat(5000));
    assert_eq!(wrong(Sheet::Robots, &many).len(), 200);
    let wide = "x,".repeat(5000);
    assert!(wrong(Sheet::Robots, &wide).len() <= 201);
}

#[test]
fn an_export_holds_every_column_and_no_formula() {
    let Json::Object(row) = json!({ "id": 1, "robot": "=cmd()", "max_equipos": -1,
        "parametros": { "a": "b" }, "activo": true })
    else {
        panic!("an object")
    };
    let text = write(Sheet::Robots, [row]);
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("\"id\",\"robot\",\"descripcion\""));
    let cells = "\"1\",\"'=cmd()\",\"\",\"{\"\"a\"\":\"\"b\"\"}\",\"true\",\"\",\"\",\"-1\"";
    assert!(lines.next().unwrap().starts_with(cells));
    assert_eq!(rows(Sheet::Robots, &text)[0]["robot"], "=cmd()");
}

prop_compose! {
    fn robots()(
        rows in prop::collection::btree_map("[a-z='@ñ-]{1,8}", (1_i64..100, any::<bool>(), -1_i64..9), 1..6),
    ) -> Vec<Map<String, Json>> {
        let row = |(name, (priority, online, most)): (String, (i64, bool, i64))| {
            let row = json!({ "robot": name, "prioridad_balanceo": priority, "es_online": online,
                              "max_equipos": most, "min_equipos": 0, "parametros": { name: [1, "x"] } });
            row.as_object().cloned().unwrap_or_default()
        };
        rows.into_iter().map(row).collect()
    }
}

proptest! {
    #[test]
    fn what_is_exported_can_be_imported(rows in robots()) {
        let text = write(Sheet::Robots, rows.clone());
        let read = read(Sheet::Robots, text.as_bytes()).unwrap();
        for (read, row) in read.iter().zip(&rows) {
            for (name, value) in row {
                prop_assert_eq!(read.fields.get(name), Some(value));
            }
        }
        prop_assert_eq!(read.len(), rows.len());
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        text in "(robot|id|activo|robot_id|,|;|\"|\n|1|x){0,40}",
    ) {
        for sheet in [Sheet::Robots, Sheet::Runners, Sheet::Schedules] {
            for bytes in [bytes.as_slice(), text.as_bytes()] {
                if let Err(bad) = read(sheet, bytes) {
                    prop_assert!(!bad.is_empty());
                }
            }
        }
    }
}
