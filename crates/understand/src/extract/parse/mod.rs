//! Values as they are printed, read one kind at a time.

pub(super) mod amount;
pub(super) mod date;
pub(super) mod iban;
pub(super) mod mrz;
pub(super) mod tax_id;
