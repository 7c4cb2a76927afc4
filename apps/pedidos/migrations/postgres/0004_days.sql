-- A day's orders are those promised for it, or else received in it: lists, the panel and the simulation ask so.
CREATE INDEX orders_by_day ON orders (COALESCE(due_at, received_at), id);
