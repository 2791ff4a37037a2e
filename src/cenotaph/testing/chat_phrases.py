"""What people and assistants write to each other: sentences with slots, by language.

Written as people write, without regard to any list of words by which this package ranks a sentence: of the
sentences of people in real sessions about half hold a number, a negation or a modal verb, a quarter a digit, and
so do those of the filler; the statements are often worded without any.
A slot in braces is filled from the chat's own small world; `IDENTIFIERS` are the slots by whose value a
statement can be asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["IDENTIFIERS", "LANGUAGES", "WORLDS", "Language", "Pair", "World"]

IDENTIFIERS: Final = ("path", "host", "id", "table", "version", "host2", "path2")
"""Slots whose value names one thing, and so can be asked for."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences that share their slots: the second corrects the first.

    Attributes:
        kind: Kind of the first.
        first, second: The sentences.
    """

    kind: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Language:
    """Phrasings of one language.

    Attributes:
        joint: What stands between two sentences.
        statements: Kind -> phrasings.
        pairs: A statement and its correction.
        requests: Questions of the agent that ask for leave.
        consents: Answers to them.
        filler: Sentences of a person that state nothing.
        agent: Sentences of the agent.
        asides: What may stand in brackets at the end of such a sentence.
        leads: What introduces a paste.
        things, days: Noun phrases that fit as subject and object; days with their preposition.
    """

    joint: str
    statements: dict[str, tuple[str, ...]]
    pairs: tuple[Pair, ...]
    requests: tuple[str, ...]
    consents: tuple[str, ...]
    filler: tuple[str, ...]
    agent: tuple[str, ...]
    asides: tuple[str, ...]
    leads: tuple[str, ...]
    things: tuple[str, ...]
    days: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class World:
    """Names of one subject: what its chats are about."""

    paths: tuple[str, ...]
    hosts: tuple[str, ...]
    tables: tuple[str, ...]
    series: str
    system: str


WORLDS: Final = (
    World(
        ("billing/export.py", "config/taxes.toml", "docs/invoicing.md", "billing/rounding.py", "sql/monthly.sql"),
        ("db-stage.invoices.example", "ledger.internal.example", "sftp.bank.example", "mail.billing.example"),
        ("invoice_lines", "credit_notes", "orders_legacy", "vat_rates", "customers_2024"),
        "BIL",
        "You help a small company with its billing system. Answer in the language of the question.",
    ),
    World(
        ("thesis/chapter3.tex", "thesis/references.bib", "figures/response.R", "data/survey.csv", "notes/method.md"),
        ("cluster.uni.example", "repo.uni.example", "survey.lab.example", "backup.lab.example"),
        ("raw_responses", "participants_v2", "code_book", "wave_two", "excluded_ids"),
        "THS",
        "You help with a thesis in psychology: text, statistics and figures.",
    ),
    World(
        ("site/programme.yaml", "site/speakers.json", "mail/invitation.html", "budget/plan.xlsx", "rooms/floor2.svg"),
        ("tickets.conf.example", "stream.conf.example", "crm.conf.example", "print.conf.example"),
        ("speaker_slots", "room_bookings", "sponsors_2026", "badge_names", "waiting_list"),
        "CONF",
        "You help to organise a conference of 400 people.",
    ),
    World(
        ("app/src/Inventory.kt", "app/src/Sync.kt", "assets/levels.json", "store/listing.txt", "ci/release.yml"),
        ("api.game.example", "crash.game.example", "cdn.game.example", "scores.game.example"),
        ("player_ids", "iap_purchases", "sessions_raw", "leader_board", "refunds_2025"),
        "APP",
        "You help two developers with a mobile game.",
    ),
    World(
        ("etl/load_labs.py", "etl/mapping.csv", "reports/ward7.md", "protocol/v4.docx", "etl/dedupe.sql"),
        ("fhir.clinic.example", "dwh.clinic.example", "pacs.clinic.example", "audit.clinic.example"),
        ("admissions_2025", "lab_values", "patient_consents", "ward_codes", "medication_raw"),
        "CLN",
        "You help the data team of a clinic. Data never leave their network.",
    ),
)

_ENGLISH: Final = Language(
    joint=" ",
    statements={
        "rule": (
            "Never write to {table} without asking me first.",
            "Please don't touch anything under {path}.",
            "{path} is off limits for this whole job.",
            "Under no circumstances may customer names leave {host}.",
            "Hands off {table}, the auditors are looking at it.",
            "You must not restart {host} during office hours.",
            "Leave the numbers in {path} exactly as they are.",
            "Only {name} may approve changes to {thing}.",
            "I want every change to {thing} reviewed before it goes live.",
            "From now on, always quote {id} in what you send out.",
            "It is forbidden to copy {table} to a laptop.",
            "Treat {path} as read-only.",
        ),
        "limit": (
            "There is {money} for {thing} and not a cent more.",
            "At most {n} retries per request to {host}.",
            "Keep every reply under {n} words.",
            "We can't go above {n} requests per minute on {host}.",
            "The whole export of {table} has to fit into {n} MB.",
            "Nothing older than {n} days belongs in {table}.",
            "The timeout is {n} seconds, no more.",
            "Cap the batch at {n} rows.",
        ),
        "fact": (
            "Our staging copy lives on {host}.",
            "The case in question is {id}.",
            "{name} has owned {table} since last spring.",
            "We run {version} in production.",
            "The naming scheme is written down in {path}.",
            "The export ends up in {path} every night.",
            "{table} has {n} columns, two of them unused.",
            "All of this is tracked under {id}.",
        ),
        "goal": (
            "What I am after in the end is a report that {name} can read in five minutes.",
            "The goal is to have {thing} running without me {day}.",
            "We want to get {table} down to {n} rows.",
            "All of this is so that {host} can be switched off.",
            "My aim is to close {id} {day}.",
            "In the end {name} should be able to run {path} alone.",
        ),
        "preference": (
            "I'd rather have short answers.",
            "I prefer tables over long prose.",
            "If it's all the same to you, use British spelling.",
            "It would be nice if the headings were in lower case.",
            "Bullet points work better for me than paragraphs.",
            "I like the tone of {path} better than the newer one.",
        ),
    },
    pairs=(
        Pair("limit", "The budget for {thing} is {money}.", "Correction: for {thing} it is {money2}, not {money}."),
        Pair(
            "fact", "The test data are on {host}.", "I was wrong earlier, the test data are on {host2}, not on {host}."
        ),
        Pair("limit", "{path} should stay below {n} lines.", "Make that {n2} lines for {path}, {n} was too strict."),
        Pair("fact", "{name} signs off {table}.", "Actually it is {name2} who signs off {table}, no longer {name}."),
        Pair("rule", "You may change {path} as you see fit.", "I take that back, {path} stays untouched."),
        Pair("limit", "{id} has to be done {day}.", "Scrap that, {id} has time until {day2}."),
    ),
    requests=(
        "Shall I delete the {n} duplicate rows in {table}?",
        "Do you want me to push the change to {host} now?",
        "May I send the draft to {name}?",
        "Should I overwrite {path} with the new version?",
        "Is it OK if I close {id}?",
        "Can I go ahead and reorder the sections of {path}?",
    ),
    consents=(
        "yes, go ahead",
        "Yes please.",
        "ok do it",
        "Sure, go for it.",
        "Approved.",
        "Fine by me, but only this once.",
        "yep",
        "No, leave it.",
        "Please do.",
        "Not yet, ask {name} first.",
    ),
    filler=(
        "Sorry, it took me a while to get back to this.",
        "I had {small} meetings today and I can't say that any of them was useful.",
        "The coffee machine on our floor has been broken since {weekday}, which doesn't help.",
        "My colleague {name} always says that nobody reads these things anyway.",
        "When we started in {year} there were only a handful of us and everything was on one server.",
        "I must have looked at {thing} a dozen times by now.",
        "Back then {name} would never have believed that it could take this long.",
        "It rained all {weekday}, so we sat inside and talked about {thing}.",
        "You should have seen the face of {name}.",
        "Anyway, where were we?",
        "That reminds me of a project where somebody had mixed up {thing} and {thing2}.",
        "It was just one of those days, I suppose.",
        "I struggle to put it into words, but something about {thing} feels odd to me.",
        "There were {n} messages in my inbox this morning and most of them were about {thing}.",
        "Hm, let me think about that one.",
        "That makes sense, more or less.",
        "The way it works here is that everybody waits until {name} says something.",
        "We used to do this by hand, four people for half a day.",
        "I read somewhere that {n} such projects out of a thousand get finished, no idea whether that is true.",
        "The old version of {thing} had a nicer colour, if you ask me.",
        "I forget who came up with {thing}, probably {name}.",
        "My train is late again, so I have time to read what you wrote about {thing}.",
        "The phone kept ringing while I was reading your answer.",
        "Okay, I see what you mean about {thing}.",
        "Could you walk me through {thing} once more, a bit slower?",
        "What does the second column of {thing} tell us?",
        "I showed your last answer to {name} and we both laughed a bit about the example.",
        "The thing is that {thing} has grown over the years, and nobody ever tidied up.",
        "If I had known that in {year}, we might have done it differently.",
        "It looks fine at first sight, I only wondered about the third paragraph of {thing}.",
        "Long story short, {thing} came back from review with a pile of comments, all of them about commas.",
        "Last time it took us {small} weeks, mostly because of {thing2}.",
        "The other team seems to have solved this somehow, or they keep quiet about it.",
        "{name} said it was as good as done, but then {name2} said so as well.",
        "I'm typing this on my phone, so excuse the typos.",
        "Nice, that is better than what I had for {thing}.",
        "Hmm, I think I got confused between {thing} and {thing2}.",
        "By the way, the new office has plants now and {name} waters them.",
        "So that was my {weekday}.",
        "Let's see how far we get with {thing} before lunch.",
        "{name} is back from holiday and told us all about the mountains.",
        "It's funny how {thing} and {thing2} started out as the same page.",
        "Somebody put a drawing of {thing} on the whiteboard, quite a good one.",
        "Thanks for the explanation, the part about {thing} was what I was looking for.",
        "{name} and I went through {thing} over lunch and found it rather readable.",
        "The neighbours are drilling again, I hope it stops before my call with {name}.",
        "What I remember most about {weekday} is the argument about {thing}.",
        "Interesting, so {thing} gets its values from {thing2}.",
        "I mixed that up with something that {name} told me about {thing2}.",
        "On the bus this morning I had an idea about {thing}, and then it was gone.",
        "Give me a moment, {name} just walked in.",
        "I like how you put that.",
        "The whole story with {thing} began as a favour to {name}.",
        "Everybody was in a good mood on {weekday}, for once.",
        "We never did find out why {thing} was slow that {weekday}.",
        "I would have guessed {n}, but {name} knows these things better.",
        "You can't please everybody, as {name} says.",
        "In {year} it took a whole summer, and nobody would do it again.",
        "I don't think {name} has ever seen {thing}.",
    ),
    agent=(
        "Thanks for the background, that helps.",
        "I looked at {thing} again and compared it with {thing2}.",
        "The first step is to read {path} and list what depends on it.",
        "The difference comes from the rounding in the second pass, which explains the {n} cases you saw.",
        "In most setups this is done in {small} steps, and the order matters less than people think.",
        "You could also start from {thing2}, but then the sorting has to be repeated.",
        "A short overview follows below.",
        "The column you mention is filled by a nightly job; it is empty for about {n} rows.",
        "One thing that stands out is that {thing} is used in {small} places.",
        "That would also explain why the totals differ by {n}.",
        "I have kept the wording close to yours and shortened the second half.",
        "Here is what the new version does differently.",
        "The old approach read everything into memory, the new one works through it in chunks of {n}.",
        "If the numbers look off, the quickest check is to compare them with {table}.",
        "There is a small trap here: empty values are sorted first, so the top {small} lines look strange.",
        "In the meantime nothing has to be changed on your side.",
        "I would suggest doing {thing} first, because {thing2} depends on it.",
        "The result is the same for all {n} test cases that I tried.",
        "For the report, three figures are enough: the total, the change since {year}, and the share of {thing}.",
        "As far as I can tell this is a display problem; the stored values are fine.",
        "The message comes from {host} and says that the session was closed after {n} seconds.",
        "I have not found any other place where this is used.",
        "Put differently, {thing} is the cause and {thing2} is only where it shows.",
        "Let me know which of the two you like better.",
        "Both versions give the same total; the second is easier to explain.",
        "The paragraph reads more smoothly now, and the example comes earlier.",
    ),
    asides=(
        "don't ask",
        "or was it {name}?",
        "that was in {year}",
        "not that I mind",
        "{small} or so, if I remember right",
        "so they say on {weekday}s",
        "at least in theory",
        "it can't be helped",
    ),
    leads=(
        "Here is what I got:",
        "This came in this morning:",
        "See below.",
        "That's the relevant part:",
        "I paste it as is:",
    ),
    things=(
        "the invoice export",
        "the weekly report",
        "the new form",
        "the import job",
        "the mailing list",
        "the price table",
        "the search page",
        "the archive",
        "the draft",
        "the rota",
        "the summary page",
        "the cleaning script",
    ),
    days=("on Monday", "on Tuesday", "by Thursday", "by Friday noon", "on 14 May", "by the end of June"),
)

_GERMAN: Final = Language(
    joint=" ",
    statements={
        "rule": (
            "Schreib niemals etwas in {table}, ohne mich vorher zu fragen.",
            "Finger weg von {path}.",
            "{path} bleibt genau so, wie es ist.",
            "Ohne Freigabe von {name} geht nichts an {host} raus.",
            "{table} darf unser Netz nicht verlassen.",
        ),
        "limit": (
            "Mehr als {money} geben wir dafür nicht aus.",
            "Höchstens {n} Versuche pro Anfrage an {host}.",
            "Die Antwort soll unter {n} Wörtern bleiben.",
            "Bei {n} Zeilen pro Lauf ist Schluss.",
        ),
        "fact": (
            "Die Testdaten liegen auf {host}.",
            "Der Vorgang hat die Nummer {id}.",
            "{name} betreut {table} seit dem Frühjahr.",
            "In Produktion läuft {version}.",
        ),
        "goal": (
            "Am Ende soll {thing} ohne mich laufen.",
            "Mir geht es darum, dass wir {host} abschalten können.",
            "Ziel ist, {id} {day} zu schließen.",
        ),
        "preference": (
            "Mir sind kurze Antworten lieber.",
            "Tabellen finde ich besser als langen Text.",
            "Schön wäre es, wenn die Überschriften kleiner wären.",
        ),
    },
    pairs=(
        Pair("limit", "Für {thing} haben wir {money}.", "Korrektur: für {thing} sind es {money2} und nicht {money}."),
        Pair("fact", "Die Sicherung liegt auf {host}.", "Ich habe mich geirrt, die Sicherung liegt auf {host2}."),
    ),
    requests=(
        "Soll ich die {n} doppelten Zeilen in {table} löschen?",
        "Darf ich den Entwurf an {name} schicken?",
        "Soll ich {path} jetzt überschreiben?",
    ),
    consents=("ja, mach das", "Ja bitte.", "Einverstanden.", "Nein, lass es so.", "passt, leg los"),
    filler=(
        "Entschuldige, ich war den ganzen Vormittag in Besprechungen.",
        "Gestern hat es {small} Stunden geregnet und niemand wollte vor die Tür.",
        "{name} meint ja immer, dass das keiner liest.",
        "Ich weiß nicht mehr genau, wer sich {thing} damals ausgedacht hat.",
        "Damals, {year}, waren wir nur {small} Leute und hatten einen einzigen Rechner.",
        "Das müsste ungefähr {n} Mal so passiert sein, aber gezählt hat es keiner.",
        "Na ja, so ist das eben.",
        "Ich konnte vor lauter Telefonaten kaum einen Satz zu Ende lesen.",
        "Das klingt soweit vernünftig.",
        "Kannst du mir das mit der zweiten Spalte noch einmal erklären?",
        "Mein Zug hat schon wieder {small} Minuten Verspätung.",
        "Eigentlich wollte ich nur kurz etwas loswerden, es geht um {thing}.",
        "Man hätte das damals anders machen können, aber hinterher ist man immer klüger.",
        "In der Kantine gab es heute wieder nichts Vernünftiges.",
        "Wo waren wir stehen geblieben?",
        "Die anderen haben das Problem nicht, oder sie reden nicht darüber.",
        "Danke, das ist besser als meine Fassung.",
        "{name} ist aus dem Urlaub zurück und hat viel von den Bergen erzählt.",
        "Interessant, {thing} hängt also mit allem zusammen.",
        "Über {thing} haben wir beim Mittagessen lange geredet.",
        "Das Telefon klingelt schon wieder, Moment.",
        "Der Teil über {thing} gefällt mir.",
        "Am Anfang war {thing} nur ein Gefallen für {name}.",
        "Im Büro stehen jetzt Pflanzen, und {name} gießt sie.",
    ),
    agent=(
        "Danke, das hilft weiter.",
        "Ich habe {thing} und {thing2} verglichen und keine weiteren Unterschiede gefunden.",
        "Der Unterschied entsteht beim Runden im zweiten Durchgang, das erklärt die {n} Fälle.",
        "Zuerst lese ich {path} und stelle zusammen, was davon abhängt.",
        "Die alte Fassung liest alles auf einmal, die neue arbeitet in Blöcken zu {n}.",
        "Beide Wege führen zum selben Ergebnis, der zweite ist leichter zu erklären.",
        "Die Spalte wird nachts gefüllt und ist bei etwa {n} Zeilen leer.",
        "Soweit ich sehe, ist nur die Anzeige betroffen, die Werte selbst stimmen.",
        "Unten folgt eine kurze Übersicht.",
        "Ich habe mich eng an deine Formulierung gehalten und den zweiten Teil gekürzt.",
        "Für den Bericht reichen drei Zahlen.",
        "Leere Werte stehen beim Sortieren vorn, deshalb sehen die ersten {small} Zeilen seltsam aus.",
    ),
    asides=(
        "frag nicht",
        "oder war es {name}?",
        "das war {year}",
        "wie immer",
        "lange Geschichte",
        "und {name} sieht das auch so",
    ),
    leads=("Das kam heute früh:", "Siehe unten:", "Ich füge es einfach ein:"),
    things=("die Rechnungsliste", "die Auswertung", "die neue Maske", "die Preistabelle", "die Vorlage", "die Suche"),
    days=("bis Freitag", "bis Montag früh", "bis zum 14. Mai", "bis Ende Juni"),
)

_FRENCH: Final = Language(
    joint=" ",
    statements={
        "rule": (
            "N'écris jamais dans {table} sans me demander d'abord.",
            "On ne touche pas à {path}.",
            "Interdiction de copier {table} sur un portable.",
            "Laisse {path} tel quel.",
            "Seule {name} peut valider un envoi vers {host}.",
        ),
        "limit": (
            "Pas plus de {money} pour {thing}.",
            "Au maximum {n} tentatives par requête vers {host}.",
            "Chaque réponse doit tenir en {n} mots.",
        ),
        "fact": (
            "La copie de test se trouve sur {host}.",
            "Le dossier porte la référence {id}.",
            "{name} s'occupe de {table} depuis le printemps.",
            "En production nous avons {version}.",
        ),
        "goal": (
            "Au bout du compte, il faut que {thing} tourne sans moi.",
            "L'objectif est de fermer {id} {day}.",
            "Tout cela sert à pouvoir arrêter {host}.",
        ),
        "preference": (
            "Je préfère les réponses courtes.",
            "Les tableaux me conviennent mieux que les longs textes.",
            "Si possible, garde le ton de {path}.",
        ),
    },
    pairs=(
        Pair(
            "limit",
            "Le budget pour {thing} est de {money}.",
            "Rectification : pour {thing} c'est {money2}, pas {money}.",
        ),
        Pair("fact", "Les sauvegardes sont sur {host}.", "Je me suis trompée, les sauvegardes sont sur {host2}."),
    ),
    requests=(
        "Est-ce que je supprime les {n} doublons de {table} ?",
        "Puis-je envoyer le brouillon à {name} ?",
        "Je remplace {path} par la nouvelle version ?",
    ),
    consents=("oui, vas-y", "Oui, merci.", "D'accord.", "Non, laisse.", "ok pour moi"),
    filler=(
        "Désolée pour le retard, j'ai eu {small} réunions ce matin.",
        "Hier il a plu toute la journée et personne ne voulait sortir.",
        "{name} dit toujours que personne ne lit ces choses-là.",
        "Je ne sais plus qui a eu l'idée de {thing}.",
        "En {year} nous n'étions que {small} et tout tenait sur une seule machine.",
        "Cela a dû arriver {n} fois, mais on ne les a pas comptées.",
        "Bref, passons.",
        "On aurait pu faire autrement à l'époque, je ne dis pas le contraire.",
        "Mon train a encore {small} minutes de retard.",
        "Ça me paraît raisonnable.",
        "Tu peux me réexpliquer la deuxième colonne ?",
        "À la cantine il n'y avait rien de bon, comme d'habitude.",
        "Où en étions-nous ?",
        "Merci, c'est mieux que ma version.",
        "L'autre équipe n'a pas ce problème, ou alors elle n'en parle pas.",
        "{name} est rentrée de vacances et nous a parlé de la montagne.",
        "Intéressant, {thing} dépend donc de tout le reste.",
        "On a longtemps parlé de tout cela à midi, {name} et moi.",
        "Le téléphone sonne encore, un instant.",
        "J'aime bien la partie sur la présentation.",
        "Au début, {thing} était un service rendu à {name}.",
        "Il y a maintenant des plantes au bureau, et {name} les arrose.",
    ),
    agent=(
        "Merci, c'est utile.",
        "J'ai comparé {thing} avec {thing2} et je n'ai pas vu d'autre différence.",
        "L'écart vient de l'arrondi au second passage, ce qui explique les {n} cas.",
        "Je commence par lire {path} et par noter ce qui en dépend.",
        "L'ancienne version lisait tout d'un coup, la nouvelle avance par blocs de {n}.",
        "Les deux chemins mènent au même résultat, le second est plus simple à expliquer.",
        "La colonne est remplie la nuit et reste vide pour environ {n} lignes.",
        "Pour le rapport, trois chiffres suffisent.",
        "Voici un court résumé.",
        "J'ai gardé votre formulation et raccourci la seconde moitié.",
        "Les valeurs vides sont triées en premier, d'où l'aspect étrange des {small} premières lignes.",
    ),
    asides=(
        "ne demande pas",
        "ou était-ce {name} ?",
        "c'était en {year}",
        "comme toujours",
        "longue histoire",
        "et {name} est du même avis",
    ),
    leads=("Voici ce que j'ai reçu :", "Voir ci-dessous :", "Je colle tel quel :"),
    things=("la liste des factures", "la page de recherche", "la nouvelle fiche", "la grille de prix", "la synthèse"),
    days=("avant vendredi", "lundi matin au plus tard", "d'ici le 14 mai", "avant la fin juin"),
)

_SPANISH: Final = Language(
    joint=" ",
    statements={
        "rule": (
            "Nunca escribas en {table} sin preguntarme antes.",
            "No toques nada de {path}.",
            "Prohibido copiar {table} a un portátil.",
            "Deja {path} tal como está.",
            "Solo {name} puede aprobar un envío a {host}.",
        ),
        "limit": (
            "No gastamos más de {money} en {thing}.",
            "Como mucho {n} intentos por petición a {host}.",
            "Cada respuesta debe caber en {n} palabras.",
        ),
        "fact": (
            "La copia de pruebas está en {host}.",
            "El expediente lleva el número {id}.",
            "{name} se ocupa de {table} desde la primavera.",
            "En producción tenemos {version}.",
        ),
        "goal": (
            "Al final quiero que {thing} funcione sin mí.",
            "El objetivo es cerrar {id} {day}.",
            "Todo esto es para poder apagar {host}.",
        ),
        "preference": (
            "Prefiero las respuestas cortas.",
            "Me gustan más las tablas que los textos largos.",
            "Si puede ser, mantén el tono de {path}.",
        ),
    },
    pairs=(
        Pair("limit", "El presupuesto para {thing} es de {money}.", "Corrijo: para {thing} son {money2}, no {money}."),
        Pair(
            "fact",
            "Las copias de seguridad están en {host}.",
            "Me equivoqué, las copias de seguridad están en {host2}.",
        ),
    ),
    requests=(
        "¿Borro las {n} filas duplicadas de {table}?",
        "¿Puedo enviar el borrador a {name}?",
        "¿Sustituyo {path} por la nueva versión?",
    ),
    consents=("sí, adelante", "Sí, por favor.", "De acuerdo.", "No, déjalo.", "vale, hazlo"),
    filler=(
        "Perdona el retraso, he tenido {small} reuniones esta mañana.",
        "Ayer llovió todo el día y nadie quería salir.",
        "{name} siempre dice que nadie lee estas cosas.",
        "Ya no sé a quién se le ocurrió {thing}.",
        "En {year} éramos solo {small} y todo cabía en una máquina.",
        "Eso debió de pasar unas {n} veces, pero nadie las contó.",
        "En fin, sigamos.",
        "Se podría haber hecho de otra manera, no digo que no.",
        "Mi tren lleva otra vez {small} minutos de retraso.",
        "Me parece razonable.",
        "¿Me puedes explicar otra vez la segunda columna?",
        "En el comedor no había nada bueno, como siempre.",
        "¿Por dónde íbamos?",
        "Gracias, está mejor que lo mío.",
        "El otro equipo no tiene ese problema, o no habla de ello.",
        "{name} ha vuelto de vacaciones y nos ha hablado de la montaña.",
        "Interesante, así que {thing} depende de todo lo demás.",
        "Al mediodía hablamos un buen rato de todo esto, {name} y yo.",
        "Suena otra vez el teléfono, un momento.",
        "Me gusta la parte sobre la presentación.",
        "Al principio {thing} era un favor para {name}.",
        "Ahora hay plantas en la oficina, y {name} las riega.",
    ),
    agent=(
        "Gracias, eso ayuda.",
        "He comparado {thing} con {thing2} y no he visto más diferencias.",
        "La diferencia viene del redondeo en la segunda pasada, lo que explica los {n} casos.",
        "Primero leo {path} y anoto lo que depende de ello.",
        "La versión antigua lo leía todo de golpe, la nueva avanza en bloques de {n}.",
        "Los dos caminos llevan al mismo resultado, el segundo es más fácil de explicar.",
        "La columna se rellena por la noche y está vacía en unas {n} filas.",
        "Para el informe bastan tres cifras.",
        "A continuación, un breve resumen.",
        "He mantenido tu redacción y acortado la segunda mitad.",
        "Los valores vacíos salen primero, por eso las primeras {small} líneas parecen raras.",
    ),
    asides=(
        "no preguntes",
        "¿o fue {name}?",
        "eso fue en {year}",
        "como siempre",
        "una larga historia",
        "y {name} opina lo mismo",
    ),
    leads=("Esto es lo que me ha llegado:", "Mira abajo:", "Lo pego tal cual:"),
    things=("la lista de facturas", "la página de búsqueda", "la nueva ficha", "la tabla de precios", "la síntesis"),
    days=("antes del viernes", "el lunes a primera hora", "antes del 14 de mayo", "antes de fin de junio"),
)

_JAPANESE: Final = Language(
    joint="",
    statements={
        "rule": (
            "{table}には、必ず私に確認してから書き込んでください。",
            "{path}には絶対に触らないでください。",
            "{table}をノートパソコンにコピーするのは禁止です。",
            "{path}は今のままにしておいてください。",
            "{host}への送信を承認できるのは{name}さんだけです。",
        ),
        "limit": (
            "{thing}に使えるのは{money}までです。",
            "{host}への再試行は最大{n}回にしてください。",
            "回答は{n}文字以内でお願いします。",
        ),
        "fact": (
            "テスト用のコピーは{host}にあります。",
            "この件の番号は{id}です。",
            "{table}の担当は春から{name}さんです。",
            "本番では{version}を使っています。",
        ),
        "goal": (
            "最終的には、私がいなくても{thing}が動くようにしたいです。",
            "目標は{day}に{id}を終わらせることです。",
            "すべては{host}を止められるようにするためです。",
        ),
        "preference": (
            "短い回答の方が好みです。",
            "長い文章より表の方がありがたいです。",
            "できれば{path}の書き方に合わせてもらえると嬉しいです。",
        ),
    },
    pairs=(
        Pair("limit", "{thing}の予算は{money}です。", "訂正します、{thing}は{money}ではなく{money2}です。"),
        Pair("fact", "バックアップは{host}にあります。", "間違えました、バックアップがあるのは{host2}です。"),
    ),
    requests=(
        "{table}の重複した{n}行を削除してもよろしいですか？",
        "下書きを{name}さんに送ってもよろしいですか？",
        "{path}を新しい版で上書きしましょうか？",
    ),
    consents=("はい、お願いします", "はい。", "大丈夫です、進めてください。", "いいえ、そのままで。"),
    filler=(
        "返事が遅くなってすみません、今朝は会議が{small}件もありました。",
        "昨日は一日中雨で、誰も外に出たがりませんでした。",
        "{name}さんは、こんなものは誰も読まないといつも言っています。",
        "{thing}を思いついたのが誰だったか、もう覚えていません。",
        "{year}年には{small}人しかいなくて、全部が一台の機械に入っていました。",
        "たぶん{n}回くらいあったはずですが、誰も数えていません。",
        "まあ、そんなものですよね。",
        "あのとき別のやり方もできたのかもしれません。",
        "電車がまた{small}分遅れています。",
        "なるほど、だいたい分かりました。",
        "二番目の列をもう一度説明してもらえますか？",
        "食堂には今日もいいものがありませんでした。",
        "どこまで話しましたっけ？",
        "ありがとう、私の案より良いですね。",
        "{name}さんが休暇から戻って、山の話をたくさんしてくれました。",
        "なるほど、{thing}は全部とつながっているんですね。",
        "昼休みに{name}さんとこの話を長くしました。",
        "また電話が鳴っています、少し待ってください。",
        "{thing}についての部分が気に入りました。",
        "もともと{thing}は{name}さんへの好意で始まりました。",
        "事務所に植物が入って、{name}さんが水をやっています。",
    ),
    agent=(
        "ありがとうございます、参考になります。",
        "{thing}と{thing2}を比べましたが、ほかに違いは見つかりませんでした。",
        "差は二回目の丸めから来ていて、それで{n}件の説明がつきます。",
        "まず{path}を読み、それに依存するものを書き出します。",
        "古い版は一度に全部を読みますが、新しい版は{n}件ずつ処理します。",
        "どちらの方法でも結果は同じで、二番目の方が説明しやすいです。",
        "この列は夜間に埋まり、約{n}行が空です。",
        "報告には三つの数字で十分です。",
        "以下に簡単にまとめます。",
        "元の言い回しを残し、後半を短くしました。",
        "空の値が先に並ぶので、最初の{small}行が変に見えます。",
    ),
    asides=(
        "聞かないでください",
        "{name}さんだったかも",
        "{year}年のことです",
        "いつも通りです",
        "長い話です",
        "{name}さんも同じ意見です",
    ),
    leads=("届いたものを貼ります：", "下を見てください：", "そのまま貼ります："),
    things=("請求書の一覧", "検索ページ", "新しい画面", "価格表", "週報", "取り込み処理"),
    days=("金曜日まで", "月曜の朝まで", "5月14日まで", "6月末まで"),
)

LANGUAGES: Final = {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH, "ja": _JAPANESE}
"""By ISO 639-1 code."""
