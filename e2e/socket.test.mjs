// The client that shops already have: socket.io-client, as published, over both transports.

import assert from "node:assert/strict";
import test from "node:test";

import { io } from "socket.io-client";

import { eventually, move, order } from "./shop.mjs";
import { Turno } from "./turno.mjs";

const KNOWN = ["pedido:creado", "pedido:estado-cambiado", "capacidad:actualizada"];

/** A connected client that writes down what it hears. */
function listen(turno, options = {}) {
  const socket = io(turno.url, { forceNew: true, reconnection: false, ...options });
  const heard = [];
  socket.onAny((name, data) => heard.push({ name, data }));
  return { socket, heard };
}

const connected = ({ socket }) =>
  new Promise((resolve, reject) => {
    if (socket.connected) resolve();
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });

const names = (heard) => heard.map(({ name }) => name).filter((name) => KNOWN.includes(name));

const until = (heard, count) =>
  eventually(() => names(heard).length >= count, `${count} of the known events`);

async function withTurno(options, body) {
  const turno = await Turno.start(options);
  const sockets = [];
  const enter = async (settings) => {
    const client = listen(turno, settings);
    sockets.push(client.socket);
    await connected(client);
    return client;
  };
  try {
    await body(turno, enter);
  } finally {
    sockets.forEach((socket) => socket.disconnect());
    await turno.stop();
  }
}

for (const transports of [["polling"], ["websocket"], ["polling", "websocket"]])
  test(`events arrive in order over ${transports.join(" then ")}`, () =>
    withTurno({}, async (turno, enter) => {
      const { heard } = await enter({ transports });
      await order(turno, { cliente_nombre: "Nélida" });
      await until(heard, 3);
      assert.deepEqual(names(heard), KNOWN);
      const [created, moved, capacity] = KNOWN.map((name) =>
        heard.find((one) => one.name === name),
      );
      assert.equal(created.data.pedido.cliente_nombre, "Nélida");
      assert.equal(moved.data.estadoAnterior, "RECIBIDO");
      assert.equal(moved.data.estadoNuevo, "EN_PREPARACION");
      assert.equal(moved.data.pedidoId, 1);
      assert.equal(capacity.data.capacidad.pedidosEnPreparacion, 1);
      assert.equal(capacity.data.capacidad.espaciosDisponibles, 7);
      for (const { data } of [created, moved]) {
        assert.ok(Number.isInteger(data.version), "a version");
        assert.equal(typeof data.causa, "string");
        assert.ok(!Number.isNaN(Date.parse(data.timestamp)), "a timestamp");
      }
      const seqs = heard.map(({ data }) => data.seq);
      assert.ok(
        seqs.every((seq, index) => index === 0 || seq > seqs[index - 1]),
        `${seqs}`,
      );

      await move(turno, 1, "LISTO");
      await until(heard, 5);
      assert.equal(names(heard).at(-1), "capacidad:actualizada");
    }));

test("a client that was away gets what it missed", () =>
  withTurno({}, async (turno, enter) => {
    const first = await enter();
    await order(turno);
    await until(first.heard, 3);
    const lastSeq = Math.max(...first.heard.map(({ data }) => data.seq));
    first.socket.disconnect();
    await move(turno, 1, "LISTO");
    await turno.api("POST", "/pedidos/1/cobrar", { medio_pago: "EFECTIVO" });

    const second = await enter({ auth: { lastSeq } });
    await eventually(
      () => second.heard.some(({ name }) => name === "pedido:cobrado"),
      "the payment made meanwhile",
    );
    assert.ok(second.heard.every(({ data }) => data.seq > lastSeq));
    assert.equal(names(second.heard)[0], "pedido:estado-cambiado");

    const future = await enter({ auth: { lastSeq: 1_000_000 } });
    await eventually(
      () => future.heard.some(({ name }) => name === "sincronizar"),
      "word that everything must be read again",
    );
  }));

test("a restart is survived by the client's own reconnection", () =>
  withTurno({}, async (turno, enter) => {
    const { socket, heard } = await enter({ reconnection: true, reconnectionDelay: 50 });
    await turno.kill();
    await eventually(() => !socket.connected, "the client notices");
    await turno.restart();
    await eventually(() => socket.connected, "the client is back", 10_000);
    await order(turno);
    await until(heard, 3);
  }));

test("with access required, a socket needs a token and a role decides what it shows", () =>
  withTurno(
    {
      env: { TURNO_AUTH: "required" },
      prepare: (turno) =>
        turno.cli(
          ["user", "add", "ana", "--role", "ADMIN", "--password-stdin"],
          "una clave larga\n",
        ),
    },
    async (turno, enter) => {
      const secret = (name, role) => turno.cli(["token", "create", name, "--role", role]);
      const till = secret("caja", "pedidos:CAJERO");
      const stove = secret("cocina", "pedidos:COCINA");

      for (const auth of [{}, { token: "turno_inventado" }]) {
        const stranger = await enter({ auth });
        await eventually(() => !stranger.socket.connected, "the stranger is shown out");
        assert.deepEqual(
          stranger.heard.map(({ name }) => name),
          ["no-autorizado"],
        );
      }

      const counter = await enter({ auth: { token: till } });
      const kitchen = await enter({ auth: { token: stove } });
      const body = {
        modalidad: "DELIVERY",
        cliente_nombre: "Nélida",
        cliente_telefono: "11 5555",
        cliente_direccion: "Lavalle 900",
        articulos: [{ nombre: "Locro", peso: 2, cantidad: 1, precio: 7000 }],
      };
      await turno.api("POST", "/pedidos", body, { headers: { authorization: `Bearer ${till}` } });
      await until(counter.heard, 3);
      await until(kitchen.heard, 3);
      assert.match(JSON.stringify(counter.heard), /Nélida/);
      assert.match(JSON.stringify(kitchen.heard), /Locro/);
      assert.doesNotMatch(JSON.stringify(kitchen.heard), /Nélida|5555|Lavalle/);
    },
  ));
