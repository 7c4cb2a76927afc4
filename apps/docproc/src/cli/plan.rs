//! `turno docproc plan`: how many workers and people a load needs, from what a server measured.

use serde_json::Value as Json;

use terminal::{Exit, Remote, output};

use super::args::Plan;

pub(super) async fn ask(args: &Plan) -> Result<Json, Exit> {
    let remote = Remote::new(&args.server);
    let mut path = format!(
        "/api/docproc/capacity?requests_per_hour={}&pages={}&max_seconds={}",
        args.requests_per_hour, args.pages, args.max_seconds
    );
    let told = [("documents", args.documents), ("page_seconds", args.page_seconds)];
    for (name, value) in told {
        path.extend(value.map(|value| format!("&{name}={value}")));
    }
    remote.get(&path).await
}

pub(super) async fn run(args: &Plan) -> Result<(), Exit> {
    let plan = ask(args).await?;
    if args.json {
        output::say_json(&plan);
    } else {
        output::say(&text(&plan));
    }
    if plan["possible"] == false {
        return Err(Exit::failed("no number of workers answers in that time")
            .hint("a longer --max-seconds, fewer pages per request, or faster reading"));
    }
    Ok(())
}

fn text(plan: &Json) -> String {
    let seconds = |key: &str| plan[key].as_f64().map_or("-".to_owned(), |s| format!("{s:.2} s"));
    let share = |value: &Json| format!("{:.0} %", value.as_f64().unwrap_or_default() * 100.0);
    let mut lines = vec![
        format!("workers    {}", plan["hands"].as_u64().map_or("-".to_owned(), |n| n.to_string())),
        format!("busy       {}", share(&plan["busy"])),
        format!(
            "mean       {}, of it waiting {}",
            seconds("mean_seconds"),
            seconds("waiting_seconds")
        ),
        format!("p95        {}", seconds("p95_seconds")),
        format!("alone      {}", seconds("alone_seconds")),
        format!(
            "here       {} workers, {} busy, p95 {}",
            plan["here"]["hands"],
            share(&plan["here"]["busy"]),
            plan["here"]["p95_seconds"]
                .as_f64()
                .map_or("without end: they cannot keep up".to_owned(), |s| format!("{s:.2} s")),
        ),
        format!(
            "people     {} operators for {:.1} tasks an hour of {:.0} s",
            plan["people"]["operators"],
            plan["people"]["tasks_per_hour"].as_f64().unwrap_or_default(),
            plan["people"]["seconds_each"].as_f64().unwrap_or_default(),
        ),
    ];
    for one in plan["measured"].as_array().into_iter().flatten() {
        lines.push(format!(
            "measured   {:<26} {:>6} messages, {:.1} ms",
            one["component"].as_str().unwrap_or_default(),
            one["messages"],
            one["mean_seconds"].as_f64().unwrap_or_default() * 1000.0,
        ));
    }
    lines.join("\n")
}
