// The first look at Coordinador.

export default [
  {
    path: "/coordinador",
    target: ".tiles",
    es: ["Qué está en marcha", "Lecturas de la última hora, cuotas y atraso. Ninguna OLT recibe más de lo acordado."],
    en: ["What is at work", "Readings of the last hour, quotas and lateness. No OLT is asked more than agreed."],
  },
  {
    path: "/coordinador",
    target: ".chart",
    es: ["El reparto", "Inicios por minuto contra el máximo. Cada columna dice su valor al señalarla, o con las flechas."],
    en: ["The spread", "Starts per minute against the cap. Each column tells its value when pointed at, or with the arrow keys."],
  },
  {
    path: "/coordinador/plan",
    target: "main",
    es: ["El plan", "Las próximas horas, minuto a minuto. Se prueba una redistribución antes de aplicarla."],
    en: ["The plan", "The hours to come, minute by minute. Try a redistribution before applying it."],
  },
  {
    path: "/coordinador/olts",
    target: "main table",
    es: ["Las OLT", "Con su respuesta y su espera si no contestan. Dentro: sus ONU, la señal y la presencia en el tiempo."],
    en: ["The OLTs", "With how fast they answer, and their back-off if they do not. Inside: their ONUs, signal and presence over time."],
  },
  {
    path: "/coordinador/plantillas",
    target: "main",
    es: ["Las plantillas", "Un plan de lecturas para muchas OLT. Se avisa antes de guardar si no entra en la cuota."],
    en: ["The templates", "One plan of readings for many OLTs. Before saving you are told if it does not fit the quota."],
  },
  {
    path: "/coordinador/limites",
    target: "main",
    es: ["Los límites", "Por minuto, por tipo, por OLT, y el modo de prueba, que no envía un solo paquete."],
    en: ["The limits", "Per minute, per type, per OLT, and the test mode, which sends not one packet."],
  },
];
