//! Numbers that identify things, one type for each kind of thing.

/// Declares identifiers: whole numbers that cannot be taken for one another.
///
/// ```text
/// engine::ids! {
///     /// *Pedido*.
///     OrderId,
/// }
/// ```
#[macro_export]
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive($crate::serde::Serialize, $crate::serde::Deserialize)]
        #[serde(crate = "engine::serde", transparent)]
        pub struct $name(pub i64);

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<$name> for $crate::Value {
            fn from(id: $name) -> Self {
                id.0.into()
            }
        }
    )*};
}
