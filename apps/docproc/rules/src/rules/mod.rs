//! Every decision of document processing, pure: a snapshot and a time in, a plan out.

pub mod advance;
pub mod alarms;
pub mod answer;
mod arrive;
pub mod assign;
pub mod blank;
pub mod callback;
pub mod capacity;
pub mod continuity;
pub mod correct;
pub mod course;
pub mod golden;
pub mod group;
pub mod hold;
pub mod quality;
pub mod regroup;
pub mod retry;
pub mod route;
pub mod shift;
pub mod sla;
pub mod storage;
pub mod sufficient;
pub mod sweep;
pub mod thresholds;
pub mod topology;
pub mod why;
pub mod workflow;
