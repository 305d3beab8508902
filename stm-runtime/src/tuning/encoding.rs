//! The encoding of values in files.

/// Engines by name.
pub(super) mod engine {
    use serde::{Deserialize, Deserializer, Serializer, de};

    use crate::engine::Engine;

    pub(in crate::tuning) fn serialize<S: Serializer>(engine: &Engine, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(engine)
    }

    pub(in crate::tuning) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Engine, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

/// Times in seconds.
pub(super) mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(in crate::tuning) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(time.as_secs_f64())
    }

    pub(in crate::tuning) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(from)?).map_err(de::Error::custom)
    }
}
