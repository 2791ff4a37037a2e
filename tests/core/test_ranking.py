"""Grades: what binds leaves after what is only told, in every language with a list."""

from __future__ import annotations

import pytest

from cenotaph.core.ranking import MACHINE, PROHIBITED, amount, grade, told
from cenotaph.core.statements import weights
from cenotaph.core.wording import LANGUAGES

STATEMENTS = {
    "en": """
        The invoice total must stay below the agreed figure.
        Under no circumstances should anybody email the client.
        Steer clear of the legacy cluster.
        The trip may cost at most 900 euros.
        Keep it to no more than forty slides.
        I need the draft by Friday.
        Spend no more than £40 per head.
        Priya owns the billing service.
        Marta is responsible for the payroll export.
        Dana signs off on every release.
        The backups live in the Oslo office.
        The new team is called Lighthouse.
        Omar is in charge of hiring.
        The aim is a shorter onboarding.
        We are trying to cut the waiting list.
        Write it plainly so that a child understands.
        I like short paragraphs.
        A table would be nice.
        Mornings work better for me.
        I'd rather have two columns.
        Ideally it fits on one page.
        Put the summary first if possible.
        Go for it.
        That works for me.
        By all means.
        Fine by me.
        No way.
        I was wrong, it is the blue folder.
        Scrap that.
        On second thought, leave the title.
        I meant the northern branch.
        Make that a weekly report.
        Sorry, I meant Lisbon.
        Use metric units instead of imperial ones.
        We agreed on a fixed price.
        I decided to take the earlier flight.
        We wanted the report in English.
        From now on call me Sam.
        I am allergic to nuts.
    """,
    "de": """
        Der Bericht darf die Kunden nicht nennen.
        Auf keinen Fall vor Freitag veröffentlichen.
        Die Reise kostet höchstens 900 Euro.
        Das Budget liegt bei zwei Millionen Franken.
        Ich brauche den Entwurf bis Freitag.
        Frau Weber ist für die Abrechnung zuständig.
        Das Projekt gehört der Gruppe Nord.
        Die neue Abteilung heißt Leuchtturm.
        Unser Ziel ist eine kürzere Einarbeitung.
        Wir wollen die Warteliste verkürzen, damit wir Luft haben.
        Eine Tabelle wäre schön.
        Vormittags passt mir besser.
        Am liebsten kurze Absätze.
        Wenn möglich auf einer Seite.
        Von mir aus.
        Geht klar.
        Kommt nicht in Frage.
        Ich meinte die Filiale im Norden.
        Nein, doch lieber die blaue Mappe.
        Ich habe mich geirrt, es ist die blaue Mappe.
        Nicht Montag, sondern Dienstag.
        Vergiss das.
        Wir haben uns auf einen Festpreis geeinigt.
        Stell sicher, dass alle unterschreiben.
    """,
    "fr": """
        Le rapport ne doit pas citer les clients.
        En aucun cas avant vendredi.
        Le voyage coûte au maximum 900 euros.
        Il me faut le brouillon d'ici vendredi.
        Claire est responsable de la paie.
        C'est Luc qui gère les embauches.
        La nouvelle équipe s'appelle Phare.
        L'objectif est un accueil plus court.
        Nous cherchons à réduire la liste d'attente.
        Écris simplement afin de rester clair.
        J'aime les paragraphes courts.
        Un tableau, ce serait bien.
        Le matin me convient.
        De préférence sur une page.
        Ça me va.
        Feu vert.
        Pas question.
        Je voulais dire la branche nord.
        En fait, c'est le dossier bleu.
        Je me suis trompé, c'est mardi.
        Laisse tomber.
        Nous avons convenu d'un prix fixe.
        Assurez-vous que tout le monde signe.
    """,
    "es": """
        El informe no debe citar a los clientes.
        Bajo ninguna circunstancia antes del viernes.
        El viaje cuesta como máximo 900 euros.
        Necesito el borrador antes del viernes.
        Lucía es la responsable de la nómina.
        El proyecto pertenece al grupo norte.
        El equipo nuevo se llama Faro.
        El objetivo es una acogida más corta.
        Intentamos reducir la lista de espera.
        Me gustan los párrafos cortos.
        Una tabla estaría bien.
        Por la mañana me viene mejor.
        Preferiblemente en una página.
        Me parece bien.
        Adelante.
        Ni hablar.
        Quise decir la sucursal del norte.
        En realidad es la carpeta azul.
        Me equivoqué, es el martes.
        Olvida eso.
        Acordamos un precio fijo.
        Asegúrate de que todos firmen.
    """,
    "pt": """
        O relatório não deve citar os clientes.
        A viagem custa no máximo 900 euros.
        Preciso do rascunho até sexta.
        A Inês é responsável pela folha.
        O projeto pertence ao grupo norte.
        A equipe nova se chama Farol.
        O objetivo é uma acolhida mais curta.
        Gosto de parágrafos curtos.
        Uma tabela seria bom.
        De preferência numa página.
        Pode fazer.
        Nem pensar.
        Eu quis dizer a filial do norte.
        Na verdade é a pasta azul.
        Me enganei, é na terça.
        Combinamos um preço fixo.
    """,
    "it": """
        Il rapporto non deve citare i clienti.
        Il viaggio costa al massimo 900 euro.
        Mi serve la bozza entro venerdì.
        Giulia è responsabile delle paghe.
        Il progetto appartiene al gruppo nord.
        La squadra nuova si chiama Faro.
        L'obiettivo è un'accoglienza più breve.
        Mi piacciono i paragrafi brevi.
        Una tabella sarebbe bello.
        Preferibilmente su una pagina.
        Mi sta bene.
        Non se ne parla.
        Volevo dire la filiale nord.
        Anzi, la cartella blu.
        Mi sono sbagliato, è martedì.
        Abbiamo concordato un prezzo fisso.
    """,
    "nl": """
        Het rapport mag de klanten niet noemen.
        De reis kost hooguit 900 euro.
        Ik heb het concept uiterlijk vrijdag nodig.
        Sanne is verantwoordelijk voor de salarissen.
        De nieuwe ploeg heet Vuurtoren.
        De bedoeling is een kortere inwerktijd.
        Het liefst korte alinea's.
        Een tabel zou fijn zijn.
        Dat mag.
        Geen sprake van.
        Ik bedoelde de noordelijke vestiging.
        Eigenlijk is het de blauwe map.
        Ik heb me vergist, het is dinsdag.
        We hebben een vaste prijs afgesproken.
    """,
    "ru": """
        В отчёте нельзя называть клиентов.
        Поездка стоит не более 900 евро.
        Мне нужен черновик до пятницы.
        Ирина отвечает за зарплату.
        Проект принадлежит северной группе.
        Новая команда называется Маяк.
        Наша задача короткое обучение.
        Мне нравятся короткие абзацы.
        По возможности на одной странице.
        Договорились.
        Ни в коем случае.
        Я имел в виду северный филиал.
        На самом деле это синяя папка.
        Я ошибся, это вторник.
        Мы договорились о твёрдой цене.
    """,
    "zh": """
        报告里不要提到客户。
        旅费最多900元。
        小李负责工资。
        新团队叫做灯塔。
        我们的目的是缩短培训。
        我更喜欢短段落。
        我的意思是北方分店。
        我说错了，是星期二。
    """,
    "ja": """
        報告書に顧客の名前を書かないでください。
        旅費は9万円までにしてください。
        給与の担当は佐藤さんです。
        短い段落の方がいいです。
        正しくは火曜日です。
        やっぱり青いフォルダーにします。
    """,
    "ko": """
        보고서에 고객 이름을 쓰지 마세요.
        여행비는 최대 90만 원입니다.
        급여 담당자는 민지입니다.
        짧은 문단을 선호해요.
        정확히는 화요일입니다.
        생각해 보니 파란 폴더로 바꿔 주세요.
    """,
    "ar": """
        لا تذكر أسماء العملاء في التقرير.
        تكلفة الرحلة لا تزيد عن 900 دولار.
        سارة مسؤولة عن الرواتب.
        نفضل الفقرات القصيرة.
        أقصد فرع الشمال.
    """,
    "hi": """
        रिपोर्ट में ग्राहकों के नाम मत लिखो।
        यात्रा पर ज़्यादा से ज़्यादा 900 रुपये खर्च हों।
        वेतन की ज़िम्मेदारी सीमा की है।
        मुझे छोटे अनुच्छेद पसंद हैं।
        मेरा मतलब उत्तरी शाखा था।
    """,
}
"""What people state: rules, limits, who owns what, goals, likings, consent, refusals, corrections."""

NARRATION = {
    "en": """
        We walked along the harbour and it rained the whole time.
        I wondered whether the bakery still had those rolls.
        Yesterday we went to the lake with two friends.
        My brother actually laughed at the puppet show.
        We had soup and it was rather good.
        I read half of the novel on the train.
        It was cold, but we stayed until midnight.
        They sang three songs and then everybody went home.
        She said the garden was lovely in March.
        I forgot my umbrella at the museum.
        I finally finished the puzzle on Sunday.
    """,
    "de": """
        Wir gingen am Hafen entlang und es regnete die ganze Zeit.
        Gestern waren wir mit zwei Freunden am See.
        Wir haben gestern drei Stunden Karten gespielt, das war schön.
        Ich fand das Museum eigentlich ganz hübsch.
        Am Sonntag bin ich erst um zehn aufgestanden.
        Es war kalt, aber wir blieben.
    """,
    "fr": """
        Nous avons marché le long du port et il pleuvait.
        Hier nous étions au lac avec deux amis.
        J'ai lu la moitié du roman dans le train.
        Il faisait froid mais nous sommes restés.
        Je n'avais pas vu la cascade.
        On a mangé une soupe finalement.
    """,
    "es": """
        Caminábamos por el puerto y llovía.
        Ayer estuvimos en el lago con dos amigos.
        Leí la mitad de la novela en el tren.
        Hacía frío y volvimos solo de noche.
        Finalmente vimos la cascada.
    """,
    "pt": """
        Ontem fomos ao lago com dois amigos.
        Estava frio e ainda não voltamos.
        Gostei muito do museu, aliás fomos duas vezes.
        Comi sopa e dormi cinco horas.
    """,
    "it": """
        Ieri siamo andati al lago con due amici.
        Faceva freddo ma non siamo tornati.
        Ho letto metà del romanzo in treno.
        Pioveva e avevamo solo due ombrelli.
    """,
    "nl": """
        Gisteren waren we met twee vrienden aan het meer.
        Het was koud maar we bleven niet lang.
        Ik vond het museum eigenlijk best mooi.
        We liepen langs de haven en het regende.
    """,
    "ru": """
        Вчера мы ездили на озеро с двумя друзьями.
        Было холодно, но мы не ушли.
        Я прочитала половину романа в поезде.
    """,
    "zh": """
        昨天我们和两个朋友去了湖边。
        上周我不小心忘了雨伞。
    """,
    "ja": """
        昨日は友達三人と湖に行きました。
        先週は雨が降らなかった。
    """,
    "ko": """
        어제 친구 두 명과 호수에 갔습니다.
        지난주에는 비가 안 왔어요.
    """,
}
"""Small talk of the past, with the words in it for which a sentence weighs."""


def lines(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(code, line.strip()) for code, text in table.items() for line in text.strip().splitlines()]


def test_there_are_statements_in_every_language_that_has_a_list() -> None:
    assert set(STATEMENTS) == {language.code for language in LANGUAGES}
    assert len(lines(STATEMENTS)) + len(lines(NARRATION)) >= 200


@pytest.mark.parametrize("sentence", [line for _, line in lines(STATEMENTS)])
def test_a_statement_weighs_as_much_as_a_rule_or_a_wish(sentence: str) -> None:
    assert weights(sentence) - {"unknown_language"}
    assert not told(sentence)
    assert grade(sentence) >= MACHINE + 3


@pytest.mark.parametrize(("code", "sentence"), lines(NARRATION))
def test_narration_leaves_before_every_statement_of_its_language(code: str, sentence: str) -> None:
    assert grade(sentence) < min(grade(stated) for language, stated in lines(STATEMENTS) if language == code)


@pytest.mark.parametrize(
    ("now", "past"),
    [
        ("We must not call the client.", "We were told that we must not call the client."),
        ("Nobody may enter the archive.", "It was raining and nobody was allowed to enter the archive."),
        ("The file is src/app.py.", "We went through it and the file was src/app.py."),
        ("The limit is 500 euros.", "We had a limit of 500 euros."),
        ("We agree on Tuesday.", "We agreed on Tuesday."),
        ("Wir dürfen den Kunden nicht anrufen.", "Wir durften den Kunden nicht anrufen, das war verboten."),
        ("Il est interdit d'appeler le client.", "Il était interdit d'appeler le client."),
        ("Está prohibido llamar al cliente.", "Estaba prohibido llamar al cliente."),
        ("È vietato chiamare il cliente.", "Era vietato chiamare il cliente."),
        ("Там запрещено звонить клиенту.", "Там было запрещено звонить клиенту."),
    ],
)
def test_a_rule_a_name_and_a_decision_keep_their_grade_in_the_past(now: str, past: str) -> None:
    assert grade(past) >= grade(now) % PROHIBITED


def test_a_prohibition_is_above_whatever_else_weighs_unless_it_is_only_told_of() -> None:
    most = grade("We agreed: the limit for db-2.example.com is 500 euros, I prefer it, and it should be OPS-4411.")
    for rule in ("Never push to main.", "Do not touch /etc/prod/.", "Fass /etc/prod/ nicht an."):
        assert grade(rule) >= PROHIBITED > most
    assert grade("We never did find out why it was slow that Monday.") < PROHIBITED
    assert grade("I like how you put that (don't ask).") < PROHIBITED


def test_what_forbids_nothing_that_has_a_name_is_no_prohibition() -> None:
    for sentence in ("You can't be late.", "Nobody is late.", "It is not allowed here."):
        assert MACHINE < grade(sentence) < PROHIBITED


def test_an_aside_in_brackets_adds_nothing() -> None:
    assert grade("The sun was warm (it cost 500 euros).") == MACHINE
    assert grade("It cost 500 euros.") > MACHINE


def test_a_line_of_code_leaves_before_whatever_somebody_says_with_or_without_a_full_stop() -> None:
    assert grade("worker PORT=5433 restarted") == MACHINE
    assert grade("use PORT=5433 for the staging server") > MACHINE
    assert grade("mi PORT=5433 klo the") > MACHINE, "two words of a language are speech"
    assert grade("Nyt pitäisi varmaan lähteä kotiin jo.") > MACHINE, "nobody here knows what it says"


@pytest.mark.parametrize(
    "sentence",
    [
        "It costs $40.",
        "It costs 40 €.",
        "Costs are CHF 1,200 here, so 1200 francs.",
        "Give me three weeks.",
        "Vierzig Euro reichen.",
        "In zwei Wochen.",
        "Pas plus de vingt minutes.",
        "Son veinte dólares.",
        "São trinta reais.",
        "Sono quindici giorni.",
        "Twaalf uur.",
        "Это 500 рублей.",
        "预算是五百元。",
        "予算は3万円です。",
        "예산은 5만 원입니다.",
        "الميزانية 900 درهم.",
        "बजट 900 रुपये है।",
        "Due by Friday.",
        "Bis zum Freitag.",
        "Avant le mois de mars, donc avant mars.",
        "Antes del viernes, hasta el jueves.",
        "Entro il venerdì.",
        "До пятницы.",
    ],
)
def test_a_number_with_a_currency_or_a_unit_and_a_deadline_are_amounts(sentence: str) -> None:
    assert amount(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        *("We met two men.", "It was by the river.", "See chapter 3.", "Am Freitag.", ""),
        *("We ate 3 tomatoes.", "Room 5 was cold for days.", "We took 7 of the euros."),
    ],
)
def test_a_bare_number_or_day_is_no_amount(sentence: str) -> None:
    assert not amount(sentence)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_every_unit_makes_an_amount(language: object) -> None:
    for unit in language.units.split():  # type: ignore[attr-defined]
        assert amount(f"7 {unit}"), unit


def test_an_order_behind_a_story_is_no_story() -> None:
    assert told("We had trouble with the old folder.")
    assert not told("We had trouble with the old folder, keep the new one.")
    assert not told("We had trouble with the old folder and it is gone.")
    assert not told("Actually, it was the old folder.")
    assert not told("We had trouble with the old folder, so please keep the new one.")
    assert not told("We had trouble with the old folder, then keep the other.")
    assert not told("We had trouble with the old folder?")
    assert told("We had a walk in the park, and it was a good keep.")
    assert not told("Was it cold?")
