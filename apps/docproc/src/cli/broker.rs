//! `turno broker …`: the queues as RabbitMQ has them.

use std::time::Duration;

use broker::{Broker, Fault};
use clap::{Args, Subcommand};
use terminal::{Code, Command, Exit, Installation, Resolve, output};

use crate::{
    drivers::{
        broker::{TTL, declared},
        environment, workflows,
    },
    rules::{
        topology::{self, Topology},
        workflow,
    },
};

#[derive(Args, Debug)]
pub(crate) struct BrokerArgs {
    #[command(subcommand)]
    command: BrokerCommand,
}

#[derive(Debug, Subcommand)]
enum BrokerCommand {
    /// Declare exchanges, queues and bindings; harmless when they are there
    Declare {
        #[command(flatten)]
        place: Installation,
        /// How long a letter may wait, in milliseconds
        #[arg(long, env = "DOCPROC_MESSAGE_TTL_MS", default_value_t = 300_000)]
        ttl_ms: u64,
    },
    /// List queues with what leads to them, how much waits and who consumes
    Show {
        #[command(flatten)]
        place: Installation,
    },
}

pub(crate) fn command() -> Command {
    Command::new("broker", "RabbitMQ: declare the queues of documents, look at them", run)
}

async fn run(args: BrokerArgs, resolve: Resolve) -> Result<(), Exit> {
    let (BrokerCommand::Declare { place, .. } | BrokerCommand::Show { place }) = &args.command;
    let deployment = resolve(place)?;
    let Some(address) = deployment.broker else {
        return Err(Exit::usage("no broker is named").hint("set DOCPROC_RABBITMQ_URL"));
    };
    let config = environment::config(&deployment.data_dir)?;
    let files = workflows::sources(config.workflows.as_deref());
    let loaded: Vec<_> = files.iter().filter_map(|(_, text)| workflow::parse(text).ok()).collect();
    let topology = topology::topology(&loaded);
    let trouble = |fault: Fault| {
        let code = if fault.may_pass() { Code::Unreachable } else { Code::Failed };
        Exit::new(code, format!("{address}: {fault}"))
    };
    match args.command {
        BrokerCommand::Declare { ttl_ms, .. } => {
            let ttl = if ttl_ms == 0 { TTL } else { Duration::from_millis(ttl_ms) };
            let wanted = declared(&topology, ttl);
            broker::reach(&address, "turno broker", &wanted).await.map_err(trouble)?;
            let (queues, exchanges) = (wanted.queues.len(), wanted.exchanges.len());
            output::say(&format!("{address}: {exchanges} exchanges and {queues} queues are there"));
            Ok(())
        }
        BrokerCommand::Show { .. } => {
            let nothing = broker::Topology::default();
            broker::reach(&address, "turno broker", &nothing).await.map_err(trouble)?;
            let broker = Broker::open(address.clone(), "turno broker", nothing);
            broker.reconnected(&mut None).await;
            show(&broker, &topology).await.map_err(trouble)
        }
    }
}

async fn show(broker: &Broker, topology: &Topology) -> Result<(), Fault> {
    let dead = (topology::DEAD_LETTERS, topology::DEAD, String::new());
    let ours = topology.queues.values().map(|queue| {
        let keys: Vec<_> = queue.keys.iter().map(String::as_str).collect();
        (queue.name.as_str(), queue.exchange, keys.join(", "))
    });
    output::say(&format!("{:<32} {:>7} {:>9}  bound to", "queue", "ready", "consumers"));
    for (name, exchange, keys) in ours.chain([dead]) {
        let line = match broker.depth(name).await? {
            Some(depth) => format!("{:>7} {:>9}", depth.ready, depth.consumers),
            None => format!("{:>17}", "not declared"),
        };
        output::say(&format!("{name:<32} {line}  {exchange} {keys}"));
    }
    Ok(())
}
