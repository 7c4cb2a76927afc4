// The first look at SAM.

export default [
  {
    path: "/sam",
    target: ".tiles",
    es: ["La granja, ahora", "Qué corre, qué espera y qué falló. El Control Room se consulta solo; nada se lanza dos veces."],
    en: ["The farm, now", "What runs, what waits and what failed. The Control Room is asked by itself; nothing is launched twice."],
  },
  {
    path: "/sam/robots",
    target: "main table",
    es: ["Los robots", "Con su prioridad, su pool y cuántos tickets justifican un equipo más. Al abrir uno se ve por qué espera."],
    en: ["The robots", "With priority, pool and how many tickets are worth one more runner. Open one to see why it waits."],
  },
  {
    path: "/sam/programaciones",
    target: "main table",
    es: ["Las programaciones", "Cada una se lee como una frase. Se avisa antes de guardar si dos se pisan en un equipo."],
    en: ["The schedules", "Each reads as a sentence. Before saving you are told if two collide on a runner."],
  },
  {
    path: "/sam/ejecuciones",
    target: "main table",
    es: ["Las ejecuciones", "Todas, con quién las lanzó, cómo terminaron y cómo se supo."],
    en: ["The runs", "All of them, with who launched them, how they ended and how that became known."],
  },
  {
    path: "/sam/balanceador",
    target: "main",
    es: ["El balanceador", "Mueve equipos hacia donde hay tickets y muestra la cuenta: tickets, divididos por equipo, redondeado."],
    en: ["The balancer", "Moves runners to where tickets are, and shows the sum: tickets, divided by runner, rounded."],
  },
  {
    path: "/sam/analisis",
    target: "main .card",
    es: ["El análisis", "Éxito y duración de cada robot a lo largo del tiempo, uso de los equipos y demoras, por período."],
    en: ["The analysis", "Success and duration of each robot over time, use of runners and delays, by period."],
  },
];
