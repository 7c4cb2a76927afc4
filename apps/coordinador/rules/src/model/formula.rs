//! How a brand numbers its ONUs.

/// *Fórmula de índice*: how a brand packs slot and port into the index of an ONU (F-3.1).
/// Data, not code; `rules::formula` reads and checks it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    pub brand: String,
    pub model: Option<String>,
    pub mode: Mode,
    pub dot: Dot,
    /// How many there may be: numbers are below these.
    pub slots: u32,
    pub ports: u32,
    pub onus: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `base + slot·step_slot + port·step_port + onu`.
    Linear { base: u64, step_slot: u64, step_port: u64 },
    /// Slot and port in bits of their own, the ONU in the lowest eight.
    Bitshift { slot_shift: u32, slot_mask: u64, port_shift: u32, port_mask: u64 },
    /// Three numbers, `slot.port.onu`.
    Parts,
}

engine::words! {
    /// Where the number of the ONU stands.
    pub enum Dot {
        /// After a dot; an index without one names a port.
        After = "PUNTO",
        /// Inside the index, which has no dot.
        Inside = "DENTRO",
    }
}

/// Where an ONU hangs. Its text, `slot/port/logical`, is unique on an OLT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotPort {
    pub slot: u32,
    pub port: u32,
    /// None: the index names a port.
    pub logical: Option<u32>,
}

impl std::fmt::Display for SlotPort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.slot, self.port)?;
        self.logical.map_or(Ok(()), |logical| write!(f, "/{logical}"))
    }
}
