//! Decisions. Pure: a snapshot and an instant in, a plan out.
