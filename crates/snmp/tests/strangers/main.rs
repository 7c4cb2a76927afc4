//! Ours against others: the client against net-snmp's agent and snmpsim, the simulator against
//! net-snmp's tools. Whoever wrote both sides of a protocol proves nothing by making them agree.

mod agent;
mod process;
mod reading;
mod recorded;
mod tools;
