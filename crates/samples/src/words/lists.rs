//! Word lists. Common names and invented brands; none belongs to anybody in particular.

pub(super) const GIVEN_ES: [&str; 44] = [
    "María", "Lucía", "Carmen", "Ana", "Elena", "Laura", "Marta", "Sofía", "Paula", "Irene",
    "Nuria", "Rocío", "Beatriz", "Cristina", "Silvia", "Pilar", "Teresa", "Inés", "Alba", "Noelia",
    "Antonio", "José", "Manuel", "Javier", "Carlos", "Miguel", "Andrés", "Sergio", "Pablo", "Diego",
    "Álvaro", "Raúl", "Iván", "Óscar", "Hugo", "Marcos", "Adrián", "Rubén", "Fernando", "Luis",
    "Jorge", "Víctor", "Tomás", "Ramón",
];

pub(super) const FAMILY_ES: [&str; 48] = [
    "García", "Martínez", "López", "Sánchez", "Pérez", "Gómez", "Fernández", "Ruiz", "Díaz",
    "Moreno", "Muñoz", "Álvarez", "Romero", "Alonso", "Navarro", "Torres", "Domínguez", "Vázquez",
    "Ramos", "Gil", "Serrano", "Blanco", "Molina", "Suárez", "Ortega", "Delgado", "Castro", "Ortiz",
    "Rubio", "Marín", "Sanz", "Iglesias", "Medina", "Garrido", "Cortés", "Castillo", "Santos",
    "Lozano", "Guerrero", "Cano", "Prieto", "Méndez", "Calvo", "Vidal", "Ibáñez", "Peña", "Vega",
    "Carrasco",
];

pub(super) const GIVEN_EN: [&str; 40] = [
    "Emma", "Olivia", "Grace", "Hannah", "Alice", "Chloe", "Megan", "Sarah", "Rachel", "Lucy",
    "James", "Oliver", "Thomas", "William", "Daniel", "Edward", "Henry", "Simon", "Peter", "Mark",
    "Aisha", "Priya", "Mei Ling", "Siew Hong", "Farah", "Nurul", "Wei Jie", "Kumar", "Ahmad", "Tan",
    "Amelia", "George", "Harriet", "Owen", "Fiona", "Duncan", "Claire", "Stephen", "Joanna", "Neil",
];

pub(super) const FAMILY_EN: [&str; 44] = [
    "Smith", "Walker", "Harris", "Thompson", "Wright", "Cooper", "Bennett", "Foster", "Hughes",
    "Palmer", "Turner", "Marsh", "Fletcher", "Barnes", "Dawson", "Holloway", "Whitfield",
    "Ashworth", "Prescott", "Langley", "Lim", "Wong", "Rahman", "Ismail", "Abdullah", "Chong",
    "Lee", "Ng", "Singh", "Kaur", "Murray", "Doyle", "Kelly", "Brennan", "Mackenzie", "Sutton",
    "Hartley", "Pearce", "Webb", "Osborne", "Carver", "Middleton", "Ferris", "Lockwood",
];

pub(super) const GIVEN_FR: [&str; 20] = [
    "Camille", "Julie", "Sophie", "Claire", "Élodie", "Manon", "Pierre", "Antoine", "Lucas", "Hugo",
    "Julien", "Nicolas", "Mathieu", "Isabelle", "Céline", "Bernard", "Laurent", "Thierry",
    "Aurélie", "Gilles",
];

pub(super) const FAMILY_FR: [&str; 20] = [
    "Durand", "Moreau", "Lefebvre", "Girard", "Roux", "Fontaine", "Chevalier", "Blanchard",
    "Gauthier", "Perrin", "Morel", "Lambert", "Dufour", "Renard", "Mercier", "Barbier", "Colin",
    "Leclerc", "Marchand", "Picard",
];

pub(super) const FIRST: [&str; 60] = [
    "Alba", "Nova", "Terra", "Delta", "Norte", "Sur", "Luna", "Sol", "Monte", "Rio", "Vega",
    "Orion", "Atlas", "Prisma", "Faro", "Roble", "Olivo", "Cedro", "Lince", "Halcón", "Marea",
    "Brisa", "Summit", "Harbour", "Willow", "Maple", "Oakfield", "Riverside", "Bright", "Silver",
    "Golden", "Blue", "Green", "Red", "Stone", "Iron", "Copper", "Quantum", "Pioneer", "Crown",
    "Royal", "Pacific", "Orient", "Sunrise", "Lucky", "Happy", "Fresh", "Prime", "Metro", "Urban",
    "Castle", "Bridge", "Valley", "Forest", "Ocean", "Polar", "Zenith", "Apex", "Vertex", "Kestrel",
];

pub(super) const LAST: [&str; 44] = [
    "mar", "tec", "net", "gas", "plast", "metal", "data", "soft", "agro", "vita", "lux", "pack",
    "log", "trans", "serv", "med", "bio", "eco", "print", "form", "wood", "field", "ford", "ton",
    "line", "works", "point", "gate", "land", "ware", "craft", "mart", "stone", "well", "dale",
    "brook", "via", "nova", "sys", "cor", "pro", "max", "fix", "hub",
];

pub(super) const TRADE_ES: [&str; 34] = [
    "Suministros", "Transportes", "Construcciones", "Instalaciones", "Distribuciones", "Talleres",
    "Consultoría", "Asesores", "Servicios", "Electricidad", "Fontanería", "Gráficas", "Muebles",
    "Limpiezas", "Jardinería", "Ferretería", "Alimentación", "Panadería", "Librería", "Farmacia",
    "Restaurante", "Bar", "Cafetería", "Supermercados", "Óptica", "Clínica", "Academia", "Hotel",
    "Estación de Servicio", "Informática", "Logística", "Ingeniería", "Comercial", "Hermanos",
];

pub(super) const TRADE_EN: [&str; 40] = [
    "Trading", "Supplies", "Services", "Consulting", "Engineering", "Logistics", "Foods", "Bakery",
    "Stores", "Hardware", "Stationery", "Restaurant", "Cafe", "Pharmacy", "Books", "Electronics",
    "Motors", "Garden Centre", "Kitchen", "Furniture", "Interiors", "Design", "Media", "Printing",
    "Machinery", "Auto Parts", "Marketing", "Enterprise", "Holdings", "International", "Industries",
    "Supermarket", "Mini Market", "Bistro", "Grill", "Noodle House", "Seafood", "Clinic", "Optical",
    "Petrol Station",
];

pub(super) const TRADE_FR: [&str; 16] = [
    "Fournitures", "Transports", "Menuiserie", "Conseil", "Services", "Bureautique", "Mobilier",
    "Boulangerie", "Électricité", "Imprimerie", "Informatique", "Bâtiment", "Décoration", "Jardins",
    "Distribution", "Études",
];

pub(super) const STREETS_ES: [&str; 28] = [
    "del Olmo", "de la Fuente", "Mayor", "Real", "de los Arcos", "del Puerto", "de Aragón",
    "de Castilla", "del Molino", "de la Estación", "de la Constitución", "San Roque", "Santa Clara",
    "del Carmen", "de las Flores", "de la Industria", "del Progreso", "de Europa",
    "del Mediterráneo", "Alta", "Nueva", "del Sol", "de los Naranjos", "de la Paz", "del Río",
    "de Colón", "Cervantes", "de la Libertad",
];

pub(super) const TOWNS_ES: [&str; 36] = [
    "Madrid", "Barcelona", "Valencia", "Sevilla", "Zaragoza", "Málaga", "Murcia", "Palma", "Bilbao",
    "Alicante", "Córdoba", "Valladolid", "Vigo", "Gijón", "Granada", "Vitoria", "Elche", "Oviedo",
    "Badalona", "Cartagena", "Sabadell", "Jerez", "Móstoles", "Pamplona", "Almería", "Getafe",
    "Burgos", "Albacete", "Santander", "Castellón", "Logroño", "Badajoz", "Huelva", "Lleida",
    "Tarragona", "León",
];

pub(super) const STREETS_EN: [&str; 26] = [
    "High Street", "Station Road", "Church Lane", "Mill Road", "Park Avenue", "Victoria Street",
    "Kings Road", "Green Lane", "Queensway", "Albert Road", "Harbour View", "Main Street",
    "Elm Street", "Oak Drive", "Jalan Bukit 3", "Jalan Melati 7/2", "Jalan Permai", "Lorong Aman 5",
    "Jalan Kenanga", "Taman Indah", "Market Place", "Canal Street", "Bridge Road", "Industrial Way",
    "Maple Avenue", "Persiaran Utama",
];

pub(super) const TOWNS_EN: [&str; 34] = [
    "London", "Leeds", "Bristol", "Manchester", "Glasgow", "Cardiff", "Norwich", "Exeter", "Dublin",
    "Cork", "Boston, MA", "Austin, TX", "Portland, OR", "Denver, CO", "Fremont, CA", "Sydney NSW",
    "Perth WA", "Singapore", "Kuala Lumpur", "Johor Bahru, Johor", "Shah Alam, Selangor",
    "Petaling Jaya, Selangor", "Penang", "Ipoh, Perak", "Klang, Selangor", "Birmingham",
    "Sheffield", "Oxford", "York", "Bath", "Melaka", "Seremban", "Chicago, IL", "Toronto ON",
];

pub(super) const STREETS_FR: [&str; 12] = [
    "rue de la République", "avenue Victor Hugo", "rue des Lilas", "boulevard Voltaire",
    "place du Marché", "rue du Moulin", "chemin des Vignes", "rue Pasteur", "quai de la Loire",
    "rue de l'Église", "avenue de la Gare", "impasse des Roses",
];

pub(super) const TOWNS_FR: [&str; 12] = [
    "Paris", "Lyon", "Nantes", "Lille", "Toulouse", "Bordeaux", "Rennes", "Dijon", "Grenoble",
    "Tours", "Angers", "Reims",
];
