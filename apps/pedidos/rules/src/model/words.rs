//! The closed lists: states, modes, channels and roles as the database and the outside spell them.

use engine::Lifecycle;

use super::Due;

engine::words! {
    /// *Estado del pedido* (R-1).
    pub enum OrderState {
        Received = "RECIBIDO",
        Preparing = "EN_PREPARACION",
        Ready = "LISTO",
        Delivered = "ENTREGADO",
        Cancelled = "CANCELADO",
    }

    /// *Prioridad*: derived from the due time, never stored by hand, so an edit cannot leave it stale.
    pub enum Priority { High = "ALTA", Normal = "NORMAL" }

    /// *Transición automática*: whether the planner may start the order or a person must.
    pub enum Intake { Automatic = "AUTOMATICA", Manual = "MANUAL" }

    /// *Modalidad*.
    pub enum Mode { Delivery = "DELIVERY", PickUp = "RETIRO" }

    /// *Origen del pedido*.
    pub enum Channel {
        Counter = "MOSTRADOR",
        Phone = "TELEFONO",
        WhatsApp = "WHATSAPP",
        Web = "WEB",
    }

    /// *Medio de pago*.
    pub enum PaymentMethod {
        Cash = "EFECTIVO",
        Debit = "DEBITO",
        Credit = "CREDITO",
        Transfer = "TRANSFERENCIA",
        InvoicedTransfer = "TRANSFERENCIA_FACTURADA",
        MercadoPago = "MERCADOPAGO",
    }

    /// *Estado del pago*.
    pub enum PaymentState {
        Pending = "PENDIENTE",
        Paid = "PAGADO",
        Rejected = "RECHAZADO",
        Cancelled = "CANCELADO",
    }

    /// *Rol* of a person in this application.
    pub enum Role {
        Admin = "ADMIN",
        Manager = "GERENTE",
        Cashier = "CAJERO",
        Kitchen = "COCINA",
    }

    /// State of one ticket line.
    pub enum LineState { Pending = "PENDIENTE", Done = "LISTA", Voided = "ANULADA" }
}

impl OrderState {
    /// Nothing more happens to it.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Delivered | Self::Cancelled)
    }
}

impl Lifecycle for OrderState {
    /// The moves anyone may ask for, recalls included; who may is a matter of `policy::can`.
    fn successors(self) -> &'static [Self] {
        match self {
            Self::Received => &[Self::Preparing, Self::Cancelled],
            Self::Preparing => &[Self::Ready, Self::Received, Self::Cancelled],
            Self::Ready => &[Self::Delivered, Self::Preparing, Self::Cancelled],
            Self::Delivered | Self::Cancelled => &[],
        }
    }
}

impl Priority {
    pub const fn of(due: Due) -> Self {
        match due {
            Due::AsSoonAsPossible => Self::High,
            Due::At(_) => Self::Normal,
        }
    }
}

impl Intake {
    pub const fn from_flag(automatic: bool) -> Self {
        if automatic { Self::Automatic } else { Self::Manual }
    }

    pub const fn is_automatic(self) -> bool {
        matches!(self, Self::Automatic)
    }
}
