// The first look at Pedidos.

export default [
  {
    path: "/mostrador",
    target: "#capacity",
    es: ["Los lugares de la cocina", "Cuántos pedidos se preparan a la vez y cuántos entran. Con la cocina llena, lo que llega espera su turno."],
    en: ["The kitchen's places", "How many orders are prepared at once, and how many fit. When the kitchen is full, what arrives waits its turn."],
  },
  {
    path: "/mostrador",
    target: "[data-do=new]",
    es: ["Tomar un pedido", "Con F1 se abre el formulario: se escriben dos letras del plato y Enter. Al prometer una hora se dice en el momento si la cola puede cumplirla."],
    en: ["Take an order", "F1 opens the form: two letters of a dish and Enter. When an hour is promised, you are told at once whether the queue can keep it."],
  },
  {
    path: "/mostrador",
    target: "#board",
    es: ["El tablero", "Cada tarjeta avanza sola cuando se libera un lugar. Al abrir una se ve por qué espera, con las mismas cuentas que hizo la regla."],
    en: ["The board", "Each card moves by itself when a place is free. Open one to see why it waits, with the same sums the rule made."],
  },
  {
    path: "/mostrador",
    target: ".rail a[href='/cocina']",
    es: ["La pantalla de cocina", "Aquí se abre, en su propia pantalla: una comanda por pedido, la más urgente primero. Se marca línea por línea o toda junta; el color avisa antes de que se atrase."],
    en: ["The kitchen display", "It opens here, on a screen of its own: one ticket per order, the most urgent first. Mark it line by line or all at once; the colour warns before it is late."],
  },
  {
    path: "/pedidos-panel",
    target: "#figures",
    es: ["Cómo anduvo", "Espera, preparación y atrasos de los últimos días, y cuánto tarda cada estación a cada hora."],
    en: ["How it went", "Wait, preparation and lateness of the last days, and how long each station takes at each hour."],
  },
  {
    path: "/pedidos-panel",
    target: "#rules",
    es: ["Capacidad por horario", "Más lugares el viernes a la noche, menos a la tarde. Debajo se simula un día pasado con otra capacidad antes de cambiarla."],
    en: ["Capacity by schedule", "More places on Friday night, fewer in the afternoon. Below, a past day is run again with another capacity before changing it."],
  },
];
