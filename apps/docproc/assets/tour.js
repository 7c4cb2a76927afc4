// The first look at DocProc.

export default [
  {
    path: "/docproc",
    target: ".tiles",
    es: ["Cómo va la oficina", "Lo abierto, lo que espera a personas y cuánto se contestó a tiempo. Los números se actualizan solos."],
    en: ["How the office is doing", "What is open, what waits for people, and how much was answered in time. The figures update by themselves."],
  },
  {
    path: "/docproc",
    target: ".flow",
    es: ["Las etapas", "Un documento se separa en páginas, se lee, se clasifica y se extrae. En cada etapa se ve cuánto espera."],
    en: ["The stages", "A document is split into pages, read, classified and extracted. Each stage shows how much waits there."],
  },
  {
    path: "/docproc/subir",
    target: "main form",
    es: ["Enviar un documento", "Se arrastra un archivo o un ZIP. También se puede enviar por API o dejar en una carpeta vigilada."],
    en: ["Send a document", "Drop a file or a ZIP. The API and a watched folder work as well."],
  },
  {
    path: "/docproc/solicitudes",
    target: "main table",
    es: ["Las solicitudes", "Cada una con su estado y su plazo. Al abrir una se ve cada valor sobre la página de donde salió."],
    en: ["The requests", "Each with its state and deadline. Open one to see every value on the page it was read from."],
  },
  {
    path: "/backoffice",
    target: "main",
    es: ["Revisar lo dudoso", "Se pregunta solo lo que no es seguro, lo más urgente primero. Se contesta sin soltar el teclado."],
    en: ["Review what is doubtful", "Only what is not certain is asked, the most urgent first. It is answered without leaving the keyboard."],
  },
  {
    path: "/docproc/calidad",
    target: "main",
    es: ["Cuánto acierta", "Qué pasaría con otro umbral: cuánto se preguntaría y cuánto error pasaría, medido con lo corregido."],
    en: ["How often it is right", "What another threshold would do: how much would be asked and how many errors would pass, measured on corrections."],
  },
];
