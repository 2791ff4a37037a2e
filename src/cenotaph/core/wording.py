"""The words by which a sentence ranks: data, one table per language.

A word list ranks, it never decides alone: a sentence that no list knows stays at least as long as one
that they do. So a missing word costs nothing but room, and a word too many costs room as well; only a
word that is *innocent* in a language (Portuguese `no` is `in the`) is taken out for it, by name.

Each field is a text of entries separated by white space. `_` stands for a space inside an entry
(`go_ahead`), a final `*` for any ending (`prohib*`). In languages that are written without spaces, or
that grow by endings, an entry is found anywhere in the sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "ACCESS",
    "ACTS",
    "APPROVALS",
    "APPROVAL_SIGNS",
    "BINDING_STEMS",
    "CONDITIONS",
    "CORRECTION_OPENINGS",
    "CURRENCY_SIGNS",
    "DEADLINE_LEADS",
    "FIRST_PERSON",
    "IMPERATIVES",
    "ORDERS",
    "PAST_FORMS",
    "PERSONS",
    "REPLY_OPENINGS",
    "REPORTING",
    "ABBREVIATIONS",
    "ABBREVIATIONS_BEFORE_NUMBER",
    "ARTICLES",
    "CLAUSE_STARTERS",
    "DENIERS",
    "LANGUAGES",
    "MARKS",
    "NO_DUTY_AFTER_NOT",
    "ORDINAL_LEADS",
    "OTHER_NEGATION",
    "PLAN_STATES",
    "PRONOUNS_OF_REPORT",
    "STATE_DENIERS",
    "TOLD",
    "Language",
    "NOW",
]


@dataclass(frozen=True, slots=True)
class Language:
    """The lists of one language.

    Attributes:
        code: ISO 639-1.
        common: The words by which the language is known: function words and small talk.
        negation: What denies or excludes.
        modality: Obligation, permission, ability.
        preference: Wishes and likings.
        decision: Choices, corrections, consent, commitments, goals; who owns or answers for what, and its name.
        state: How far a thing is.
        outcome: How an attempt ended.
        numbers: Number words, from two on.
        units: What a number counts: money, time, weight, length, data, people.
        prohibition: What forbids by itself.
        obligation: What obliges if nothing denies it.
        permission: What permits if nothing denies it.
        innocent: Words that another language ranks and this one does not.
        spaced: False where entries are found anywhere in the sentence.
    """

    code: str
    common: str
    negation: str
    modality: str
    preference: str
    decision: str
    state: str
    outcome: str
    numbers: str
    units: str
    prohibition: str
    obligation: str
    permission: str
    innocent: str = ""
    spaced: bool = True


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


LANGUAGES: Final[tuple[Language, ...]] = (
    Language(
        code="en",
        common="""
            the a an and or but if then than that this these those there here it its it's i i'm i've you your yours he
            she him her his we us our they them their me my mine who whom whose what which when where why how is are was
            were be been being am do does did doing has have had having of to in on at by for from with about into over
            under after before between through during up down out off again once very just so too also as while because
            since until although though even still yet already soon now later today yesterday tomorrow some any each
            every all both few more most other another such own same much many lot get got go goes went come came let
            lets let's make made see saw look looks looked know knew think thought say said tell told give gave take
            took thing things way well good great nice fine okay ok thanks thank hello hi hey bye sorry please sure yes
            yeah yep no not really maybe perhaps anyway actually basically one first last next new old would will can
            could should may might must that's there's here's what's he's she's we're you're they're i'd i'll we'll
            you'll don't doesn't isn't like won't it'll he'll she'll they'll that'll wasn't weren't didn't can't
            couldn't wouldn't shouldn't we've they've who's ours hers theirs everyone everything someone something
            anyone anything always often never ever nothing away back around without within against along across near
            outside inside behind however whether unless feel felt quite pretty kind sort bit little big small long
            people man woman time times day days week weeks year years night morning""",
        negation="""
            no not never none nobody nothing nowhere neither nor without cannot dont doesnt didnt cant wont shouldnt
            mustnt isnt arent wasnt couldnt wouldnt avoid* prohibit* forbid* forbade ban bans banned disallow* refus*
            deny denies denied refrain* stop stops except unless exclud* exclusion exempt* off_limits hands_off keep_out
            stay_away stay_off leave_alone hold_off read_only readonly untouched unchanged frozen freeze instead
            rather_than out_of_scope won't can't don't lacks lacking missing nope nah hardly barely no_longer ignore
            skip omit omits omitted hard_pass steer_clear thumbs_down out_of_the_question unacceptable unwilling
            against_it apart_from other_than as_opposed_to lay_off decline* reject* drop_it scrap_that scrap_the
            leave_out left_out nix cancel off_the_table back_off""",
        modality="""
            must shall should ought need needs needed require requires required requirement* mandatory obligat* oblig*
            have_to has_to had_to may might allow* permit* permission* only always ensure* make_sure be_sure supposed_to
            can could critical crucial essential important imperative strictly exclusively at_least at_most no_more_than
            up_to maximum minimum max min limit* cap capped ceiling threshold budget* quota* deadline due policy
            policies rule rules constraint* guarantee* compulsory gotta have_got_to has_got_to no_exceptions
            without_exception without_fail all_times every_time each_time expected_to negotiable less_than fewer_than
            later_than longer_than not_more_than at_the_latest as_little_as as_many_as upper_bound lower_bound capping
            cutoff cut-off exceed* going_over go_over above_all up_until eod by_end_of by_the_end vital insist*
            convention* guideline* standard_is comply complies compliant compliance mandated strict responsible
            responsibility unless_i until_i better_not had_better""",
        preference="""
            prefer* like_to rather want wants wanted wish wishes favor favour favorite favourite love loves hate hates
            dislike* please ideally better_if nice_to_have would_like i'd_like i_like we_like i_don't_like fond opt_for
            lean_towards leaning happier keen taste style works_better work_better works_best work_best suits_me suit_me
            suits_us better_for_me best_for_me easier_for_me would_be_nice would_be_great would_be_better nice_if
            great_if good_if it'd_be appreciate appreciated we'd_like he'd_like she'd_like they'd_like if_possible
            if_you_can if_you_could if_it's_possible when_possible where_possible whenever_possible wherever_possible
            whichever i_never don't_mind can't_stand bothers_me annoys_me allergic vegetarian vegan intolerant likes
            enjoys as_long_as hopefully hope_to hoping hoped craving comfortable_with uncomfortable not_a_fan big_fan
            kindly if_you_don't_mind leave_it_to up_to_you your_call your_choice tend_to usually enjoy adore""",
        decision="""
            decid* decision* chose choose chosen choosing choice agree* approv* confirm* consent* accept* reject*
            go_ahead go_with going_with went_with stick_to stick_with settle* yes yep yeah lgtm sounds_good do_it
            ship_it correction* scratch_that changed_my_mind change_my_mind i_meant actually instead rather switch* use
            uses keep keeps will i'll we'll going_to goal* aim* objective* purpose target* plan_is plan_to priorit*
            promise* commit_to committed assume* assuming remember note from_now_on as_of conclu* resolve_to make_it
            final intend* intention authoriz* authoris* sign_off signed_off mandate* proceed* hold_on wait forget
            revert* undo instead_of let's_use let's_go supersede* overrul* veto* scope owns owned owner owners ownership
            belongs belong responsible accountable charge_of on_call point_of_contact contact_for contact_person go-to
            reports_to report_to answers_to signs_off sign-off signs_for signatory reviewer maintainer maintained_by
            managed_by run_by led_by handled_by headed_by assigned assignee takes_care take_care_of looks_after handles
            lives_in lives_at lives_on lives_under resides located hosted stored_in stored_at stored_under kept_in
            kept_at is_called are_called called_it call_it call_them named renamed nicknamed known_as stands_for
            short_for refers_to goes_by my_name call_me works_at works_for based_in my_role my_job our_team since_last
            ever_since effective_immediately effective_from starting_today starting_tomorrow starting_next going_forward
            so_that order_to idea_is point_is trying_to try_to looking_to looking_for hoping_to mission ambition
            success_means works_for_me fine_by_me fine_with_me ok_with okay_with ok_by_me good_by_me that_works
            that's_fine that's_ok that's_okay that's_good that's_right that's_correct that_is_correct all_good go_for_it
            by_all_means be_my_guest why_not absolutely sure_thing sure_go makes_sense good_to_go green_light
            greenlight* thumbs_up carry_on please_do knock_yourself fair_enough you_bet exactly i'm_in count_me ratif*
            endors* adopt* opted opting scrap_that scrap_the never_mind nevermind second_thought second_thoughts
            was_wrong my_mistake my_bad mistaken misspoke meant_to not_what_i make_that make_it_a let_me_correct
            let_me_rephrase correct_that correcting amend* oops whoops strike_that disregard take_that_back replaced
            replaces replace swap* in_fact turns_out sorry_not typo should_have_said should_read changed_to change_to
            change_that change_the moved_to postponed_to pushed_to brought_forward pick picked contract* signed pledg*
            guarantee* i_own i_work i_live live_in vow vowed sorry_i_meant it_is_called continue""",
        state="""
            pending blocked blocking waiting awaiting awaits wait_for done finished complete completed cancelled
            canceled in_progress ongoing started running paused suspended on_hold open closed ready deployed merged
            released shipped scheduled postponed deferred skipped todo to_do wip live active inactive enabled disabled
            currently remaining remains unfinished incomplete queued stalled archived deprecated draft unresolved
            outstanding still stuck waits overdue upcoming underway in_review under_review up_next backlog parked
            shelved expired expires valid_until down_for offline online out_of_stock booked confirmed_for reserved
            sold_out rescheduled retired obsolete delayed not_yet yet_to""",
        outcome="""
            fail fails failed failing failure* error* crash* broke broken breaks works worked working pass passes passed
            passing succeed* success* fixed fixes fix resolved solved turned_out turns_out caused causes cause bug bugs
            regression* timeout* timed_out denied green red result* found exception* outage incident corrupt* lost leak*
            leaked exited exit wrong unable tried attempt* verified proved root_cause reproduc* rolled_back didn't_work
            doesn't_work won't_work gave_up solution* workaround* improved improvement degraded slower faster rejected
            declined missed met_the hit_the reached exceeded deadlock* stack_trace hang hangs hung refused dropped
            restored recovered mitigated diagnos* traced_to due_to""",
        numbers="""
            two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
            eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands
            million millions billion percent dozen twice half monday tuesday wednesday thursday friday saturday sunday
            january february march april june july august september october november december midnight noon quarter
            triple twofold billions trillion trillions tenth fifth fourth third sixth seventh eighth ninth hundredth
            twelfth thrice""",
        units="""
            dollar dollars buck bucks euro euros cent cents pound pounds quid pence sterling yen yuan renminbi rupee
            rupees ruble rubles rouble roubles won franc francs krona kronor krone kroner zloty peso pesos real reais
            rand dirham dirhams dinar riyal lira usd eur gbp jpy cny inr chf cad aud nzd sek nok dkk pln brl mxn krw rub
            btc eth grand second seconds sec secs minute minutes min mins hour hours hr hrs day days week weeks
            fortnight month months quarter quarters year years percent pct ms gram grams kg kilo kilos kilogram
            kilograms ounce ounces oz lb lbs ton tons tonne tonnes calories kcal km kilometer kilometers kilometre
            kilometres mile miles meter meters metre metres cm mm inch inches foot feet yard yards litre litres liter
            liters ml gallon gallons degrees kb mb gb tb byte bytes kilobytes megabytes gigabytes tokens token requests
            rps qps people persons users guests seats attendees items pieces pages lines words characters files rows
            copies nodes instances replicas cores times attempts retries slides paragraphs sentences points portions
            servings""",
        prohibition="""
            must_not mustn't mustnt shall_not shan't should_not shouldn't shouldnt may_not not_allowed not_permitted
            never off_limits hands_off forbid* forbade prohibit* banned disallow* avoid* refrain* keep_out stay_away
            stay_off leave_alone read_only readonly no_changes no_change no_modifications no_writes no_one_may
            nobody_may no_permission not_authorized not_authorised ought_not need_not_touch without_touching
            without_changing without_modifying without_asking without_approval out_of_scope stop hold_off
            cannot_be_changed cannot_be_modified can_not_be not_to frozen freeze under_no_circumstances at_no_point
            steer_clear unacceptable out_of_the_question not_acceptable no_longer_allowed not_exceed not_to_exceed
            no_exceptions strictly_off lay_off nobody_should no_one_should don't_want_you off_the_table
            without_permission without_my_approval better_not had_better_not not_touch without_my_permission
            without_my_ok without_telling without_consulting without_consent not_ok_to not_okay_to""",
        obligation="""
            must shall should ought required requires require mandatory need_to needs_to have_to has_to had_to always
            ensure make_sure be_sure only strictly supposed_to obligat* compulsory gotta have_got_to has_got_to
            without_exception without_fail at_all_times expected_to insist non-negotiable had_better vital remember_to
            is_due are_due see_to_it no_later_than at_the_latest mandated""",
        permission="""
            may can could allowed allows permitted permits permission free_to feel_free optional optionally approved
            approves go_ahead ok_to okay_to fine_to welcome_to authorized authorised cleared_to consent* granted
            be_my_guest fine_by_me fine_with_me ok_with_me okay_with_me go_for_it by_all_means greenlit good_to_go
            green_light no_objection no_objections carry_on please_do""",
        innocent="but once finish miles activity activities respect",
    ),
    Language(
        code="de",
        common="""
            der die das den dem des ein eine einen einem einer eines und oder aber wenn dann als dass ob weil denn ich
            du er sie es wir ihr mich dich uns euch ihm ihn ihnen mein meine dein deine sein seine unser unsere ist sind
            war waren bin bist wird werden wurde wurden hat haben hatte hatten habe von zu im in am an auf aus bei mit
            nach vor für über unter um durch bis seit zwischen gegen auch noch schon nur sehr mal doch ja so wie was wer
            wo wann warum hier da dort jetzt heute gestern morgen immer alle alles viel mehr man sich diese dieser
            dieses jede jeder gut danke bitte hallo gern gerne okay also eben halt zum zur vom beim ins nicht kein keine
            damit dazu daran davon eure eurer ihre ihren ihrem ihrer ihres seiner seinen seinem meinen meinem meiner
            deinen deinem deiner unserem unseren unserer unseres wäre wären würde würden hätte hätten worden gewesen
            geht gibt gab kommt kam macht gemacht sagt sagte abend woche jahr tag tage zeit leute etwas einfach
            eigentlich vielleicht sogar ganz wieder hin her ab ohne""",
        negation="""
            nicht nichts nie niemals niemand kein* ohne weder außer ausser verbot* verbiet* untersag* vermeid*
            unterlass* ausgeschlossen ausgenommen statt stattdessen nirgends keinesfalls auf_keinen_fall tabu
            schreibgeschützt finger_weg nein unverändert nirgendwo nimmer außen_vor nö nee lass_das lasst_das
            vergiss_das abgesehen_von anstatt anstelle unerwünscht unzulässig widersprech* widersprich* raushalten
            ablehn* verweiger* lass_die_finger weglassen streich streiche streicht gestrichen""",
        modality="""
            muss musst müssen müsst musste soll sollen sollte sollten sollst darf darfst dürfen kann können könnte
            könnten brauche brauchen braucht benötig* erforderlich notwendig nötig zwingend pflicht unbedingt immer
            erlaub* gestatt* zulässig höchstens mindestens maximal minimal grenze limit* obergrenze frist budget*
            vorgabe* regel regeln wichtig ausschließlich sicherstellen nur müsste müssten solltest solltet dürft dürfte
            dürften könnt kannst könntest muß gilt gelten stets jedes_mal spätestens frühestens bis_zu bis_ende
            nicht_mehr_als nicht_über nicht_länger_als nicht_später_als weniger_als mehr_als höchst* untergrenze
            mindest* deckel* gedeckelt kontingent spielraum kostenrahmen überschreit* übersteig* einhalten eingehalten
            fällig* stichtag deadline abgabe* termin* vorschrift* richtlinie* konvention* verbindlich verpflicht*
            vorgeschrieben ausnahmslos ohne_ausnahme lückenlos genügt reicht ausreichend achte_darauf achtet_darauf
            darauf_achten darauf_zu_achten sorg_dafür sorge_dafür stell_sicher stelle_sicher gefälligst erst_wenn
            erst_nach freie_hand steht_frei dringend durfte durften mussten konnte konnten""",
        preference="""
            lieber bevorzug* möchte möchten möchtest will wollen wünsch* gern gerne am_liebsten mag bitte hätte_gern
            favorit* wäre_schön besser wäre_gut wäre_nett wäre_super wäre_toll wär_schön am_besten wenn_möglich
            falls_möglich nach_möglichkeit möglichst idealerweise vorzugsweise passt_mir gefällt gefallen gefiele mögen
            magst mochte hasse stört_mich nervt_mich bin_kein_fan bin_für lieblings* hoffe hoffen hoffentlich
            mir_ist_wichtig mir_wichtig egal vegetarisch vegetarier* vegan allergisch allergie* ich_esse ich_trinke
            überlasse eher favorisier* tendier* neige_zu keine_lust ich_liebe""",
        decision="""
            entschied* entscheid* entschluss beschluss beschlossen beschließ* wähl* gewählt einverstanden genehmig*
            bestätig* zustimm* zugestimmt freigabe freigegeben abgelehnt ablehn* korrektur doch_nicht vielmehr
            stattdessen ziel* zweck plane geplant wir_nehmen nimm nehmt benutze verwende verwenden nutze ab_jetzt
            ab_sofort mach_das los_geht's ja vorrang priorität* vereinbart merk_dir gehört gehören zuständig*
            verantwortlich* verantwortung inhaber* besitzer* eigentümer* ansprechpartner* leitet leiter* betreut kümmert
            kümmere kümmern unterschreib* unterzeichn* zeichnet abzeichn* nimmt_ab freigibt gibt_frei abgenommen heißt
            heißen heisst nennt_sich nennen_wir genannt benannt umbenannt steht_für bezeichne* liegt_in liegt_unter
            liegt_auf liegen_in befindet befinden gespeichert_in abgelegt wohne_in wohnt_in arbeite_bei arbeite_als
            mein_name seit_dem seit_letzt* ab_morgen ab_heute ab_nächste* künftig zukünftig fortan ich_will wir_wollen
            wollen_wir absicht vorhaben haben_vor habe_vor wir_versuchen versuche_zu damit_wir damit_ich damit_die
            damit_der um_zu sinn_ist es_geht_darum bezweck* anstreb* streben_an passt in_ordnung alles_klar geht_klar
            klingt_gut hört_sich_gut meinetwegen von_mir_aus stimmt mach_weiter macht_weiter leg_los nur_zu gerne_so
            so_machen jawohl logisch selbstverständlich abgemacht einig* ausgemacht festgelegt steht_fest zugesagt
            zusage versproch* versprech* vertrag unterschrieben absegn* abgesegnet grünes_licht okay_so okay_mach
            dafür_gestimmt dagegen verworfen gestrichen eigentlich genauer_gesagt ich_meine meinte nein_doch falsch
            irrtum geirrt verwechselt vertan verschrieben versehentlich vertippt tippfehler korrigier* berichtig*
            sorry_es entschuldigung_es umentschieden anders_überlegt sondern anstelle_von mach_daraus doch_lieber
            ersetz* tausch* umgestellt wechsel* gewechselt geändert ändere ändern umstellen im_gegenteil streich_das
            vergiss_das nehmen_wir bleib* halte_fest merke umgezogen verlegt vorgezogen na_klar klar_doch ganz_genau
            geeinig*""",
        state="""
            offen ausstehend blockiert wartet warten erledigt fertig abgeschlossen abgebrochen gestoppt läuft laufend
            begonnen gestartet pausiert verschoben bereit aktiv inaktiv deployt gemerged veröffentlicht noch_nicht
            in_arbeit gesperrt zurückgestellt aktuell storniert überfällig bearbeitung im_gang unterwegs geplant
            angelaufen vorgemerkt gebucht reserviert abgelaufen gültig ungültig veraltet beendet vertagt steht_aus
            stehen_aus liegt_an unerledigt außer_betrieb unvollständig verspätet gilt_ab eingestellt vorerst zurzeit
            derzeit momentan""",
        outcome="""
            fehler* fehlgeschlagen scheiter* gescheitert abgestürzt absturz kaputt funktioniert geklappt klappt erfolg*
            gelungen gelöst behoben ursache ergebnis* bestanden rot grün herausgestellt geht_nicht verloren ausgefallen
            ausfall schiefgegangen schief_gegangen misslungen missglückt abgelehnt verweigert hängt hängengeblieben
            lösung* lösbar liegt_daran liegt_an_der langsamer schneller verbessert verschlechtert störung* bug bugs
            defekt wiederhergestellt geschafft erreicht verfehlt zeitüberschreitung""",
        numbers="""
            zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig sechzig siebzig
            achtzig neunzig hundert tausend million millionen prozent dutzend montag dienstag mittwoch donnerstag
            freitag samstag sonntag januar februar märz april juni juli august september oktober november dezember
            dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn einundzwanzig zweihundert dreihundert
            fünfhundert zweitausend zehntausend milliarde milliarden doppelt dreifach zweimal dreimal halb halbe hälfte
            viertel drittel mittag mitternacht anderthalb eineinhalb""",
        units="""
            euro euros cent dollar pfund franken rappen rubel yen kronen złoty eur usd chf gbp sekunde sekunden minute
            minuten stunde stunden tag tage tagen woche wochen monat monate monaten quartal quartale jahr jahre jahren
            prozent gramm kilo kilogramm tonne tonnen kilometer kilometern meter metern zentimeter millimeter liter grad
            mal kg km cm mm ml gb mb tb kb personen leute menschen gäste gästen plätze stück seiten zeilen wörter worte
            zeichen dateien nutzer benutzer anfragen versuche versuchen portionen folien knoten instanzen kerne""",
        prohibition="""
            darf_nicht dürfen_nicht darfst_nicht niemals nie verboten verbiet* untersag* tabu vermeid* unterlass*
            auf_keinen_fall keinesfalls bitte_nicht finger_weg darf_niemand soll_nicht sollen_nicht darf_kein*
            schreibgeschützt keine_änderungen keine_änderung unter_keinen_umständen unzulässig unerwünscht nicht_erlaubt
            nicht_gestattet nicht_zulässig bloß_nicht lieber_nicht kommt_nicht_in_frage kommt_nicht_infrage
            geht_gar_nicht lass_das lass_die_finger lasst_die_finger dürft_nicht sollst_nicht sollt_nicht sollte_nicht
            sollten_nicht solltest_nicht darfst_kein* dürfen_kein* ohne_rücksprache ohne_freigabe ohne_genehmigung
            ohne_zustimmung ohne_meine ohne_zu_fragen nicht_anfassen nicht_ändern nicht_löschen raushalten
            nicht_überschreiten nicht_übersteigen niemand_darf außer_wenn_ich durfte_nicht durften_nicht""",
        obligation="""
            muss müssen musst soll sollen sollte erforderlich notwendig zwingend pflicht unbedingt immer müsst muß
            sollst sollt solltest solltet stets verpflichtend verpflichtet verbindlich vorgeschrieben ausnahmslos
            ohne_ausnahme jedes_mal achte_darauf achtet_darauf sorg_dafür sorge_dafür stell_sicher stelle_sicher
            spätestens erst_nach nur_wenn erst_wenn denk_daran denk_dran vergiss_nicht vergesst_nicht einzuhalten
            gefälligst""",
        permission="""
            darf dürfen darfst kann können erlaubt gestattet zulässig freigegeben genehmigt dürft könnt kannst
            in_ordnung steht_frei freie_hand grünes_licht einverstanden nur_zu meinetwegen von_mir_aus abgesegnet
            abgenommen""",
        innocent="mai noch sei ne usa max leider firma",
    ),
    Language(
        code="fr",
        common="""
            le la les un une des du de et ou mais si que qui quoi dont où quand comment pourquoi je tu il elle on nous
            vous ils elles me te se lui leur mon ma mes ton ta tes son sa ses notre nos votre vos leurs ce cet cette ces
            c'est est sont était étaient suis es êtes être a ai as avons avez ont avait avoir à au aux en dans sur sous
            par pour avec chez vers depuis entre comme aussi très bien plus moins tout tous toute toutes encore déjà
            alors donc car puis ici là maintenant aujourd'hui hier demain oui merci bonjour salut d'accord bon fait
            faire peu trop même autre autres y ça cela j'ai l' d' c' j' qu' s' n' m' t' il_y_a ne pas étais étions étiez
            avais avions aviez serait serai sera seront eu été fut peux veux vais va vont allait allons celui celle ceux
            celles quel quelle quels quelles lequel avant après pendant parce puisque lorsque chaque quelques plusieurs
            beaucoup assez toujours souvent vraiment juste peut-être petit petite grand grande temps jour jours semaine
            an ans fois monde gens chose choses t'as t'es s'est s'était qu'il qu'elle qu'on j'étais j'avais c'était""",
        negation="""
            ne n' pas jamais rien personne aucun* sans ni sauf interdi* proscri* évite éviter évitez refus* défend*
            exclu* plutôt_que au_lieu_de hors_de_question hors_périmètre lecture_seule non nullement hormis excepté
            l'exception mis_à_part plus_de_place niet laisse_tomber laissez_tomber oublie oubliez abstenez abstiens
            s'abstenir banni* hors_limites hors_sujet annule abandonn* évitons""",
        modality="""
            doit devons devez doivent devrait devrais devraient faut faudra faudrait peut peux peuvent pouvez pourrait
            obligatoire* obligé* nécessaire* requis* besoin toujours seulement uniquement permis autoris* maximum
            minimum limite* plafond budget* délai échéance règle* important* impérati* s'assurer assure-toi veille*
            au_moins au_plus exiger exige dois_pas devra devrons devront devait devrions devriez pouvons puisse puissent
            pourraient pourrais pourriez exigence* exigé* prière_de tenu_de tenus_de chargé* sans_exception
            systématiquement strictement chaque_fois tout_au_plus pas_plus_de jusqu'à dépass* n'excède excéd* plafonn*
            seuil* quota* enveloppe au_plus_tard au_plus_tôt d'ici consigne* norme* convention* contrainte* respecter
            respectez respectons conforme* obligation* vital essentiel* indispensable* prioritaire* s'engager suffit
            suffisant condition_que condition_de faites_en_sorte fais_en_sorte assurez-vous n'oublie n'oubliez pensez_à
            pense_à libre_à_toi libre_à_vous quitte_à urgent* je_dois tu_dois dois_je""",
        preference="""
            préfèr* préfér* aimerais aimerait voudrais voudrait veux veut souhait* voulons plutôt s'il_te_plaît
            s'il_vous_plaît mieux idéalement j'aime déteste* j'aimerai nous_aimerions voudrions voudraient j'apprécie
            j'apprécierais adore plairait ça_m'irait m'arrange m'arrangerait convient conviendrait si_possible
            dans_la_mesure_du_possible ce_serait_bien ce_serait_sympa ce_serait_top serait_bien idéal
            autant_que_possible espère espérons espoir envie_de j'ai_envie dérange m'agace je_n'aime_pas favori* svp stp
            veuillez merci_de n'hésite n'hésitez végétarien* végan allergique* allergie* peu_importe comme_vous_voulez
            penche_pour opter opte optons""",
        decision="""
            décid* décision* choisi* choix d'accord accord approuv* confirm* accept* rejet* correction* finalement
            en_fait plutôt objectif* cible utilis* garde* gardons vas-y allez-y désormais dorénavant priorit* valid* oui
            retenu* on_prend compte_tenu rectifi* appartient appartiennent responsable* propriétaire* chargé_de
            chargée_de s'occupe gère gérer gérée géré référent* interlocut* signataire signe dirige dirigé* pilote
            encadre maintenu_par s'appelle s'appellent appelé* nommé* renommé* surnommé* désigne signifie veut_dire
            correspond_à se_trouve se_trouvent situé* hébergé* stocké* rangé* enregistré* j'habite je_travaille mon_nom
            je_m'appelle appelle-moi appelez-moi depuis_la_version partir_du partir_de compter_du dès_demain
            dès_maintenant l'avenir le_but notre_but mon_but dans_le_but but_est l'idée_est afin_de afin_que pour_que
            visons vise viser cherchons cherche_à essayons essaie_de essayer_de tentons ambition intention compte_faire
            comptons prévu* prévoi* projet_est partons_sur restons ça_marche ça_me_va ça_roule ça_me_convient c'est_bon
            parfait très_bien_faites bien_sûr absolument exactement tout_à_fait pas_de_problème aucun_problème ok_pour
            okay_pour marché_conclu feu_vert volontiers pourquoi_pas fonce foncez continue continuez poursuis poursuivez
            fais-le faites-le adopté* convenu* promis* promesse engag* tranché* arrêté* signé* consent* autoris* refusé*
            refuse décliné* j'ai_dit c'est_noté note_que notez_que retiens retenez rappelle-toi je_voulais_dire
            voulais_dire trompé* tort réalité pardon_c'est désolé_c'est erratum faute_de_frappe corrige* non_pas
            remplac* changer changez changeons changé* après_réflexion réflexion_faite tout_compte_fait oublie_ça
            oubliez_ça laisse_tomber disons et_non décalé* déplacé* basculé* opté* c'est_entendu bien_entendu""",
        state="""
            en_attente bloqué* en_cours terminé* fini* achevé* annulé* suspendu* reporté* prêt* actif* déployé*
            fusionné* démarré* commencé* ouvert* fermé* actuellement à_faire retard prévu_pour planifié* suspens
            hors_service réservé* expiré* périmé* obsolète* valable* inactif* livré* validé* publié* pas_encore reste_à
            interrompu* gelé* archivé* abandonné* retardé* repoussé* complète complets incomplet*""",
        outcome="""
            échec* échou* erreur* planté* cassé* marche fonctionne* réussi* résolu* corrigé* cause* résultat* succès
            bogue* panne* perdu* n'a_pas_marché raté* manqué* atteint dépassé* solution* problème* bug bugs défaut*
            défaillan* refusé* rejeté* grâce_à dû_à provoqu* rétabli* restauré* plus_rapide plus_lent amélior* dégrad*
            abouti* constaté* vérifié* prouvé*""",
        numbers="""
            deux trois quatre cinq sept huit neuf dix onze douze quinze vingt trente quarante cinquante soixante cent
            cents mille million millions pourcent lundi mardi mercredi jeudi vendredi samedi dimanche janvier février
            mars avril juin juillet août septembre octobre novembre décembre six treize quatorze seize milliard
            milliards milliers centaine centaines dizaine dizaines douzaine moitié demi demie tiers quart triple minuit
            midi quinzaine vingtaine""",
        units="""
            euro euros centime centimes dollar dollars livre livres franc francs yen yens yuan yuans rouble roubles
            dirham dirhams dinar dinars eur usd chf gbp balles seconde secondes minute minutes heure heures jour jours
            semaine semaines mois trimestre trimestres an ans année années pourcent gramme grammes kilo kilos kg tonne
            tonnes kilomètre kilomètres km mètre mètres cm mm litre litres degrés go mo ko to octets personnes gens
            invités convives places pages lignes mots caractères fichiers utilisateurs requêtes fois tentatives essais
            articles pièces portions parts exemplaires nœuds""",
        prohibition="""
            interdi* proscri* jamais ne_doit_pas ne_doivent_pas ne_dois_pas ne_devez_pas ne_peut_pas il_ne_faut_pas
            défense_de évite évitez éviter lecture_seule sans_toucher sans_modifier hors_de_question surtout_pas
            sous_aucun_prétexte en_aucun_cas pas_question abstenez abstiens banni* ne_doivent ne_devons_pas
            ne_peuvent_pas ne_pouvez_pas ne_peux_pas ne_devrait_pas ne_devrais_pas ne_faut_pas faut_pas n'est_pas_permis
            n'est_pas_autorisé n'est_pas_possible non_autorisé* sans_autorisation sans_mon_accord sans_demander
            sans_validation ne_pas_dépasser ne_touche ne_touchez ne_modifie ne_modifiez ne_supprime ne_supprimez
            n'utilise n'utilisez hors_limites""",
        obligation="""
            doit devez doivent devrait faut obligatoire* nécessaire* impérati* toujours requis* dois_absolument devons
            devra devront devriez il_faudra sans_exception systématiquement exigé* exige prière_de veillez veille_à
            assurez-vous assure-toi n'oublie n'oubliez pensez_à pense_à tenu_de tenus_de indispensable* au_plus_tard
            seulement_si uniquement_si faites_en_sorte fais_en_sorte je_dois tu_dois dois_je""",
        permission="""
            peut peux peuvent pouvez permis autoris* libre_de feu_vert pouvons libre_à_toi libre_à_vous n'hésite
            n'hésitez pas_d'objection ok_pour ça_me_va vas-y allez-y approuv* accordé* validé*""",
        innocent="mai dont chose dos fond mission",
    ),
    Language(
        code="es",
        common="""
            el la los las un una unos unas y o u pero si que qué quien quién cual cuando cuándo donde dónde cómo como
            porque yo tú él ella nosotros ustedes ellos ellas me te se nos le les lo mi mis tu tus su sus nuestro
            nuestra este esta esto estos estas ese esa eso es son era eran soy eres somos está están estoy estaba fue ha
            he han hay había ser estar de del a al en con por para sin sobre entre hasta desde hacia muy más menos
            también ya aún todavía todo toda todos todas mucho muchos bien bueno gracias hola sí vale claro ahora hoy
            ayer mañana aquí allí entonces pues solo sólo otro otra otros algo no éramos estábamos estaban tenía
            teníamos tengo tiene tienen tenemos fui fuimos fueron hizo hice habían has hemos hago hace hacer va van voy
            vamos ir dar da doy dijo dice decir ver vi sea sean sería cada cuáles cuanto cuánto mientras aunque además
            luego después antes siempre casi así tan tanto poco pocos nuestros nuestras vosotros os lado vez veces
            tiempo día días semana año años gente cosa cosas casa noche tarde fin""",
        negation="""
            no nunca jamás nada nadie ningún ninguno ninguna sin ni tampoco excepto salvo prohib* evita evitar eviten
            evites rechaz* niega excluy* exclu* en_vez_de en_lugar_de solo_lectura fuera_de_alcance ningunos ningunas
            fuera_de_límites excepción aparte_de jamas nones qué_va descart* abstén* abstener* impid* olvídalo olvida
            dejar_de deja_de cancela veta vetad* lejos_de""",
        modality="""
            debe debes deben debemos debería deberían deberías hay_que tiene_que tienen_que tienes_que tengo_que
            necesit* obligatori* requier* requerid* siempre solo sólo solamente únicamente puede puedes pueden podría
            permit* permiso máximo mínimo límite* tope presupuesto* plazo regla* importante* imprescindible asegúrate
            asegur* como_máximo al_menos tenemos_que tenéis_que tendrá_que tendrás_que habrá_que ha_de has_de han_de
            debéis deberás deberá deberán deberíamos podéis podemos podrías podrían puedan pueda hace_falta es_preciso
            es_necesario sin_excepción sin_falta estrictamente oblig* exig* más_de menos_de como_mucho lo_sumo
            cuando_más por_lo_menos hasta_el hasta_un exced* umbral* cuota* más_tardar antes_del antes_de_que
            vencimiento vence norma normas normativa política* directriz* convenio* restricción* restriccion* respet*
            cumpl* crucial esencial* indispensable* fundamental* urgent* prioritari* cada_vez olvides olvide olviden
            acuérdate recuerda basta suficiente con_tal_de libertad_para supere superen superar supera""",
        preference="""
            prefier* prefer* quiero quiere queremos quisiera gustaría me_gusta mejor por_favor desear* deseo ojalá
            idealmente odio encanta encantaría gustan nos_gusta viene_bien conviene molesta detesto adoro prefiriría
            ser_posible es_posible de_ser_posible lo_posible favorit* estaría_bien estaría_genial sería_bueno
            sería_genial sería_estupendo ideal espero esperamos ojala tengo_ganas ganas_de apetece más_bien porfa
            porfavor ten_a_bien dudes siéntete vegetarian* vegan* alérgic* alergia* soy_más_de da_igual como_quieras
            tú_decides inclino opto optar""",
        decision="""
            decid* decisión decision* eleg* elij* escog* de_acuerdo acuerdo aprob* aprueb* confirm* acept* rechaz*
            corrección correccion* en_realidad objetivo* meta usa usar usemos usaremos utiliz* mantén mantener adelante
            a_partir_de_ahora priorid* sí finalmente mejor_dicho recuerda autoriz* pertenec* dueñ* propietari*
            responsable* encargad* encarga cargo_de titular* gestiona lidera dirige firma firmar firmad* da_el_visto
            visto_bueno contacto_es persona_de_contacto mantenido_por gestionado_por llama llaman llamamos llámame
            llámalo llamad* nombrad* renombr* conocid* significa refiere equivale vive_en viven_en está_en están_en
            ubicad* encuentra encuentran guardad* alojad* vivo_en trabajo_en trabajo_como trabajo_para mi_nombre llamo
            desde_ahora desde_hoy la_idea_es el_fin_es con_el_fin para_que intent* tratamos_de trato_de tratar_de
            pretend* propósito finalidad apunt* aspiramos planeo planea* pienso_en pensamos_en dale está_bien
            parece_bien suena_bien perfecto supuesto claro_que desde_luego cómo_no sin_problema ningún_problema
            trato_hecho hazlo háganlo hágalo continúa continúe procede proceda luz_verde correcto exacto así_es ok_a
            okey acordamos acordad* acordó quedamos promet* promesa comprom* consent* asentí niega denegad* adopt*
            toma_nota ten_en_cuenta quise_decir quería_decir equivoqué equivoc* confundí perdón_es perdón_era perdona_es
            lo_siento_es corrijo corrig* rectific* errata o_mejor más_bien sino reemplaz* sustitu* cambi* cámbialo
            pensándolo_bien pensándolo_mejor ahora_que_lo_pienso olvida_eso olvídalo descarta borra_eso bórralo de_hecho
            que_sea ponlo pon_mejor mantenga mantengamos dejémoslo quedémonos seguimos_con vamos_con pasamos_a movid*
            aplaz* adelantad* buscamos busco opté optamos optó""",
        state="""
            pendiente* bloquead* en_curso en_progreso terminad* completad* acabad* cancelad* pausad* suspendid*
            esperando espera listo lista desplegad* abiert* cerrad* iniciad* activ* actualmente aplazad* atrasad*
            retrasad* programad* previst* vencid* caducad* vigente* obsolet* reservad* agotad* archivad* abandonad*
            congelad* detenid* parad* incomplet* falta* queda* aún_no todavía_no publicad* entregad* fuera_de_servicio
            desactivad* deshabilitad* habilitad*""",
        outcome="""
            falló falla fallo fallos fallan fallaron error* éxito funciona funcionó roto rota resuelt* solucion* arregl*
            causa resultado* pasó pasaron caíd* perdid* sirvió fracas* logr* conseguimos consiguió alcanz* rechazad*
            denegad* problema* bug bugs avería* solución debido_a culpa provoc* restaur* recuper* comprob* verific*
            descubr* empeor* más_rápido más_lento superó superaron""",
        numbers="""
            dos tres cuatro cinco seis siete ocho nueve diez once doce quince veinte treinta cuarenta cincuenta sesenta
            cien ciento mil millón millones lunes martes miércoles jueves viernes sábado domingo enero febrero marzo
            abril mayo junio julio agosto septiembre octubre noviembre diciembre trece catorce dieciséis diecisiete
            dieciocho diecinueve veintiuno veinticinco setenta ochenta noventa doscientos doscientas trescientos
            quinientos quinientas miles cientos docena docenas decena mitad tercio doble triple mediodía medianoche""",
        units="""
            euro euros céntimo céntimos dólar dólares peso pesos libra libras sol soles bolívares yen yenes yuan yuanes
            rublo rublos franco francos usd eur mxn ars clp cop pen pavos segundo segundos minuto minutos hora horas día
            días semana semanas mes meses trimestre trimestres año años porciento gramo gramos kilo kilos kg tonelada
            toneladas kilómetro kilómetros km metro metros cm mm litro litros grados gb mb kb tb bytes personas
            invitados plazas asientos páginas líneas palabras caracteres archivos ficheros usuarios peticiones
            solicitudes veces intentos unidades piezas raciones porciones copias nodos""",
        prohibition="""
            prohib* nunca jamás no_debe no_debes no_deben no_puede no_puedes no_pueden no_se_debe no_se_puede no_hay_que
            evita evitar eviten solo_lectura bajo_ningún_concepto sin_tocar sin_modificar bajo_ninguna_circunstancia
            de_ninguna_manera de_ningún_modo ni_hablar ni_se_te_ocurra en_ningún_caso no_deberías no_debería no_deberían
            no_debéis no_podéis no_podemos no_está_permitido no_está_autorizado no_se_permite terminantemente abstén*
            vetad* sin_permiso sin_autorización sin_mi sin_preguntar sin_avisar sin_consultar no_toques no_toque
            no_toquen no_borres no_borre no_cambies no_cambie no_modifiques no_modifique no_uses no_use no_usen
            no_envíes no_superar no_supere no_exceda no_exceder fuera_de_límites""",
        obligation="""
            debe debes deben debería hay_que tiene_que tienes_que obligatori* siempre imprescindible tengo_que
            tenemos_que tendrás_que tendrá_que habrá_que debéis deberás deberá deberán deberías hace_falta es_necesario
            es_preciso sin_excepción sin_falta exig* asegúrate asegúrese asegúrense no_olvides no_olvide no_olviden
            acuérdate indispensable* a_más_tardar solo_si sólo_si únicamente_si cada_vez necesit*""",
        permission="""
            puede puedes pueden permitid* autorizad* adelante libre_de podéis podemos luz_verde visto_bueno aprob*
            siéntete no_dudes libertad_para sin_problema me_parece_bien tienes_permiso""",
        innocent="""
            todo favor red pronto apenas negro negocio negocios finalmente segunda mira respecto conseguir
            responsabilidad terminar""",
    ),
    Language(
        code="pt",
        common="""
            o a os as um uma uns umas e ou mas se que quem qual quando onde como porque eu tu você ele ela nós vocês
            eles elas me te nos lhe meu minha meus minhas teu seu sua seus suas nosso nossa este esta isto esse essa
            isso aquele é são era eram sou somos está estão estou estava foi tem têm tinha ser estar de do da dos das em
            no na nas ao à aos às com por pelo pela para sobre entre até desde muito mais menos também já ainda tudo
            todo toda todos todas bem bom obrigado obrigada olá oi sim agora hoje ontem amanhã aqui ali então só outro
            outra algo não estávamos estavam tínhamos tinham tenho temos fui fomos foram fiz fez fizemos havia vou vai
            vamos vão ir dar deu dá disse diz ver vi seja sejam seria cada quais quanto enquanto embora além depois
            antes sempre quase assim tão tanto pouco numa num duma dum pelos pelas vez vezes tempo dia dias semana ano
            anos gente coisa coisas casa noite tarde fim a_gente hein né""",
        negation="""
            não nunca jamais nada ninguém nenhum nenhuma sem nem tampouco exceto salvo proíb* proib* evite evitar recus*
            neg* em_vez_de ao_invés_de somente_leitura fora_do_escopo modo_algum maneira_alguma forma_alguma
            hipótese_alguma fora_de_questão fora_dos_limites exceção menos_o nenhuns nenhumas descart* abstenha*
            deixa_de deixe_de esquece esqueça impeç* imped* veta longe_de vetado vetada""",
        modality="""
            deve deves devem devemos deveria deveriam precis* tem_que tem_de têm_que obrigatóri* necessári* requer
            sempre só somente apenas pode podes podem poderia permit* permissão máximo mínimo limite* teto orçamento*
            prazo regra* importante* certifique* garant* no_máximo pelo_menos tenho_que tenho_de temos_que temos_de
            tens_de tens_que terá_que terão_que há_que deverá deverão deverias deveríamos devia deviam podemos poderiam
            poderias possa possam obrig* sem_exceção sem_falta estritamente exig* não_mais_que não_mais_de
            não_mais_do_que não_menos_que ao_menos quando_muito ultrapass* exced* limiar* cota* quota* o_mais_tardar
            vencimento vence norma normas normativa política* diretriz* convenção* restriç* respeit* cumpr* crucial
            essencial* indispensáve* indispensave* fundamental* urgent* prioritári* desde_que cada_vez_que toda_vez
            não_esqueça não_te_esqueças não_se_esqueça lembre-se lembra-te basta suficiente à_vontade""",
        preference="""
            prefir* prefer* quero quer queremos gostaria gosto melhor por_favor desejo idealmente odeio adoro adoraria
            gostaríamos gostava detesto agrada incomoda se_possível puder puderes sempre_que_possível
            na_medida_do_possível favorit* seria_bom seria_ótimo seria_legal ideal espero esperamos tomara tenho_vontade
            vontade_de com_vontade gentileza pf pfv vegetarian* vegan* alérgic* alergia* fique_à_vontade fica_à_vontade
            sinta-se tanto_faz como_quiser você_decide você_escolhe inclino opto optar queria queríamos""",
        decision="""
            decid* decisão escolh* concord* acordo aprov* confirm* aceit* rejeit* correção na_verdade objetivo* meta use
            usar usaremos vamos_usar manter mantenha prossiga pode_seguir a_partir_de_agora priorid* sim lembre*
            autoriz* pertenc* dono dona donos proprietári* responsáve* responsave* encarregad* cargo_de titular* gere
            lidera dirige cuida_de cuida_do cuida_da assina assinar assinad* contato_é ponto_de_contato mantido_por
            chama chamam chamamos chame-me nomead* renome* conhecid* significa refere-se equivale mora_em moram_em
            moro_em vive_em vivo_em fica_em ficam_em fica_no fica_na localizad* encontra-se guardad* armazenad*
            hospedad* trabalho_em trabalho_na trabalho_no trabalho_como meu_nome chamo partir_de partir_da partir_do
            daqui_em_diante agora_em_diante daqui_para_a_frente doravante desde_agora ideia_é para_que tentamos pretend*
            propósito finalidade visa visamos almej* planejo planejamos planejar planeio beleza fechado tudo_bem
            está_bem tá_bom tá_bem parece_bom parece_ótimo soa_bem perfeito claro_que com_certeza sem_problema
            sem_problemas pode_ser pode_fazer faça faz_isso manda_ver vai_em_frente vá_em_frente siga continue continua
            correto exato exatamente isso_mesmo luz_verde sinal_verde acordamos combin* promet* promessa comprom*
            consent* negado adot* anota anote tenha_em_conta quis_dizer queria_dizer eu_quis_dizer engan* errei confundi
            eu_estava_errad* estava_errad* desculpa_é desculpe_é desculpe_era perdão_é corrijo corrig* retific* errata
            melhor_dizendo ou_melhor aliás vez_disso ao_contrário substitu* troc* mud* altera_para pensando_bem
            pensando_melhor esquece_isso esqueça_isso descarte apaga_isso de_facto de_fato na_realidade mantém
            deixa_como ficamos_com vamos_com vamos_de passamos_a movid* remarcad* definido definida definimos definiu
            tento tentar buscamos busco optei optamos""",
        state="""
            pendente* bloquead* em_andamento em_progresso terminad* concluíd* completad* cancelad* pausad* suspens*
            aguardando esperando pronto pronta implantad* abert* fechad* iniciad* ativ* atualmente adiad* atrasad*
            agendad* previst* vencid* expirad* vigente* obsolet* reservad* esgotad* arquivad* abandonad* congelad*
            parad* incomplet* falta* ainda_não entregue* publicad* fora_do_ar desativad* desabilitad* habilitad*
            interrompid* encerrad*""",
        outcome="""
            falhou falha falhas falharam erro erros sucesso funciona funcionou quebrad* resolvid* corrigid* causa
            resultado* passou passaram perdid* não_deu_certo deu_certo deu_errado fracass* consegui* alcanç* superou
            rejeitad* negad* problema* bug bugs avaria* solução soluções devido_a provoc* restaur* recuper* verific*
            descobr* mais_rápido mais_lento travou travad* caiu caíram""",
        numbers="""
            dois duas três quatro cinco seis sete oito nove dez onze doze quinze vinte trinta quarenta cinquenta cem
            cento mil milhão milhões segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo
            janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro treze catorze
            quatorze dezesseis dezasseis dezessete dezassete dezoito dezenove dezanove setenta oitenta noventa duzentos
            duzentas trezentos quinhentos bilhão bilhões milhares centenas dezena dezenas dúzia dúzias metade terço
            dobro triplo meio-dia meia-noite segunda terça quinta sexta quarta""",
        units="""
            real reais euro euros centavo centavos cêntimo cêntimos dólar dólares libra libras peso pesos iene ienes
            yuan rublo rublos brl usd eur contos paus segundo segundos minuto minutos hora horas dia dias semana semanas
            mês meses trimestre trimestres ano anos porcento grama gramas quilo quilos kg tonelada toneladas quilômetro
            quilômetros quilómetros km metro metros cm mm litro litros graus gb mb kb tb bytes pessoas convidados
            lugares vagas páginas linhas palavras caracteres arquivos ficheiros usuários utilizadores pedidos
            requisições vezes tentativas unidades peças porções cópias nós""",
        prohibition="""
            proíb* proib* nunca jamais não_deve não_deves não_devem não_pode não_podes não_podem não_se_deve evite
            evitar somente_leitura de_jeito_nenhum sem_tocar sem_alterar de_modo_algum de_maneira_alguma de_forma_alguma
            em_hipótese_alguma sob_nenhuma_circunstância nem_pensar fora_de_questão em_caso_algum não_deveria
            não_deveriam não_podemos não_é_permitido não_está_autorizado não_se_pode terminantemente abstenha*
            sem_permissão sem_autorização sem_a_minha sem_minha sem_perguntar sem_avisar sem_consultar não_mexa
            não_mexas não_toque não_toques não_apague não_apagues não_mude não_altere não_use não_uses não_envie
            não_ultrapass* não_exced* fora_dos_limites""",
        obligation="""
            deve devem deveria precisa tem_que obrigatóri* necessári* sempre tem_de tenho_que tenho_de temos_que
            temos_de têm_de têm_que deverá deverão é_preciso sem_exceção sem_falta exig* certifique* certifica-te
            garanta não_esqueça não_te_esqueças não_se_esqueça lembre-se indispensáve* o_mais_tardar só_se apenas_se
            somente_se toda_vez""",
        permission="""
            pode podem podes permitid* autorizad* livre_para podemos à_vontade luz_verde sinal_verde aprov* sinta-se
            sem_problema tem_permissão vá_em_frente prossiga""",
        innocent="no nos dos todo favor final quarto culpa",
    ),
    Language(
        code="it",
        common="""
            il lo la i gli le un uno una e ed o ma se che chi cosa quale quando dove come perché io tu lui lei noi voi
            loro mi ti si ci vi ne mio mia miei tuo tua suo sua nostro nostra questo questa questi queste quello quella
            è sono era erano sei siamo sta stanno ha ho hanno abbiamo aveva essere avere di del della dei delle degli
            dello a al alla ai alle allo in nel nella nei nelle su sul sulla con per da dal dalla tra fra molto più meno
            anche già ancora tutto tutta tutti tutte bene buono grazie ciao sì ora oggi ieri domani qui lì allora poi
            solo altro altra qualcosa dell' dall' all' nell' sull' l' un' c'è d' non ero eravamo eri avevo avevamo
            avevano stato stata stati fatto fa fare faccio va vado andiamo andare dice detto dire vedere visto sarà
            sarebbe sia siano ogni quali quanto mentre dopo prima sempre quasi così tanto poco pochi qualche nostri
            nostre vostro vostra mie tuoi suoi volta volte tempo giorno giorni settimana anno anni gente cose casa notte
            sera fine all'ora c'era c'erano""",
        negation="""
            non mai niente nulla nessun* senza né neanche nemmeno tranne eccetto salvo viet* proib* evita evitare
            evitate rifiut* nega* esclu* invece_di anziché sola_lettura fuori_ambito affatto alcun_modo
            fuori_discussione fuori_portata eccezione lascia_stare lasciamo_stare lascia_perdere scordatelo dimentica
            scart* astien* astener* impedi* stai_alla_larga alla_larga al_posto_di piuttosto_che""",
        modality="""
            deve devi devono dobbiamo dovete dovrebbe dovrebbero bisogna occorre serve obbligatori* necessari*
            richied* richiest* sempre soltanto solamente può puoi possono potete potrebbe permess* permesso massimo
            minimo limite* tetto budget* scadenza regola* important* assicurati assicur* al_massimo almeno devo
            dovrà dovranno dovrei dovresti dovremmo dovreste dovevo possiamo potrai potrà potremo potrebbero
            potresti possa possano bisogno tenut* obblig* senza_eccezioni tassativ* rigorosamente strettamente esig*
            più_di non_oltre meno_di fino_a_un fino_al per_lo_meno quantomeno ecced* soglia* quota* entro
            al_più_tardi termine_ultimo scade scadenze norma norme normativa politica politiche linee_guida
            convenzion* vincol* restrizion* rispett* conform* cruciale essenzial* indispensabil* fondamental*
            urgent* prioritari* solo_se condizione_che purché ogni_volta ricordati ricordatevi basta sufficient*
            fai_in_modo fate_in_modo superare superi superino supera""",
        preference="""
            prefer* vorrei vorremmo voglio vuole vogliamo piacerebbe mi_piace meglio per_favore desider* idealmente odio
            piacciono non_mi_piace adoro detesto se_possibile quanto_possibile sarebbe_bello sarebbe_ottimo
            sarebbe_carino ideale conviene fastidio spero speriamo magari ho_voglia voglia_di avrei_voglia cortesia
            cortesemente piuttosto vegetarian* vegan* allergic* allergia* sentiti_libero sentitevi esitare fa_lo_stesso
            è_lo_stesso come_vuoi decidi_tu scegli_tu propendo opto optare volevo volevamo""",
        decision="""
            decis* decid* scelt* scegli* d'accordo accordo approv* conferm* accett* rifiut* correzione in_realtà
            obiettiv* scopo usa usare usiamo useremo utilizz* mantieni mantenere procedi vai_pure d'ora_in_poi priorit*
            sì ricord* autorizz* appartien* proprietari* titolar* responsabile responsabili incaricat* referent*
            gestisce gestit* dirige occupa occupano cura_di firma firmare firmat* dà_l'ok punto_di_contatto mantenuto_da
            chiama chiamano chiamiamo chiamami chiamalo chiamat* nominat* rinomin* conosciut* significa riferisce
            sta_per corrisponde vive_in vivo_in abito_a abito_in si_trova si_trovano situato situata situati ospitat*
            salvat* archiviat* lavoro_per lavoro_in lavoro_come chiamo il_mio_nome dalla_versione partire_da partire_dal
            ora_in_poi l'idea_è al_fine_di affinché modo_che così_che provo_a proviamo_a tentiamo tentare tento mira
            miriamo puntiamo intend* intenzion* finalità proposito conto_di contiamo_di va_bene va_benissimo
            per_me_va_bene sta_bene ok_per suona_bene perfetto certamente certo_che ovviamente assolutamente senz'altro
            nessun_problema volentieri perché_no fallo fatelo fai_pure fate_pure avanti continua continuate esatto
            esattamente giusto corretto affare_fatto concord* via_libera luce_verde nulla_osta promett* promess* impegn*
            consenso consent* adott* stabil* fissat* definito definita nega negat* tieni_presente tenete_presente annota
            segna volevo_dire sbagliat* sbagliavo avevo_torto correg* scusa_è scusate_è pardon errata refuso anzi
            o_meglio per_meglio_dire bensì effettivamente al_posto sostitu* cambi* ripensandoci pensarci_bene
            pensandoci_bene dimentica_quello lascia_perdere scarta cancella_quello piuttosto facciamo mettiamo restiamo
            rimaniamo teniamo andiamo_con passiamo_a spostat* rinviat* anticipat* rettific* cerchiamo cerco""",
        state="""
            in_attesa bloccat* in_corso terminat* completat* finit* annullat* sospes* rinviat* pront* rilasciat* apert*
            chius* avviat* iniziat* attiv* attualmente da_fare ritardo pianificat* programmat* previst* revisione
            scadut* valid* obsolet* prenotat* riservat* esaurit* archiviat* abbandonat* congelat* fermat* incomplet*
            manca* resta_da pubblicat* consegnat* fuori_servizio disattivat* disabilitat* abilitat* interrott*
            lavorazione conclus*""",
        outcome="""
            fallit* fallisc* errore errori successo funziona funzionato rotto rotta risolt* corrett* causa risultat*
            passat* riuscit* perso persi crashat* andato_male andata_male andato_bene guast* problema problemi bug
            raggiunt* superat* mancat* rifiutat* soluzion* dovuto provoc* ripristin* recuperat* verificat* scopert*
            più_veloce più_lent* cadut* saltat*""",
        numbers="""
            due tre quattro cinque sei sette otto nove dieci undici dodici quindici venti trenta quaranta cinquanta
            cento mille mila milione milioni lunedì martedì mercoledì giovedì venerdì sabato domenica gennaio febbraio
            marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre tredici quattordici sedici
            diciassette diciotto diciannove venticinque settanta ottanta novanta duecento trecento cinquecento duemila
            diecimila miliardo miliardi migliaia centinaia decina decine dozzina metà terzo quarto doppio triplo
            mezzogiorno mezzanotte""",
        units="""
            euro centesimo centesimi dollaro dollari sterlina sterline franco franchi yen yuan rublo rubli lire eur usd
            chf gbp secondo secondi minuto minuti ora ore giorno giorni settimana settimane mese mesi trimestre
            trimestri anno anni percento grammo grammi chilo chili kg tonnellata tonnellate chilometro chilometri km
            metro metri cm mm litro litri gradi gb mb kb tb byte persone invitati ospiti posti pagine righe parole
            caratteri file utenti richieste volte tentativi unità pezzi porzioni copie nodi""",
        prohibition="""
            viet* proib* mai non_deve non_devi non_devono non_si_deve non_può non_puoi non_possono non_si_può evita
            evitare sola_lettura per_nessun_motivo senza_toccare senza_modificare in_nessun_caso per_nulla_al_mondo
            in_alcun_modo non_se_ne_parla fuori_discussione divieto divieti astien* non_dovresti non_dovrebbe
            non_dovrebbero non_dovete non_potete non_possiamo non_è_consentito non_è_permesso non_è_ammesso
            non_autorizzat* senza_permesso senza_autorizzazione senza_il_mio senza_chiedere senza_avvisare
            senza_consultar* non_toccare non_toccate non_cancellare non_modificare non_usare non_usate non_inviare
            non_superare non_deve_superare stai_alla_larga alla_larga""",
        obligation="""
            deve devi devono dovrebbe bisogna obbligatori* necessari* sempre devo dobbiamo dovete dovrà dovranno
            dovresti occorre serve_che obblig* tenut* senza_eccezioni tassativ* esig* assicurati assicuratevi ricordati
            ricordatevi non_dimenticare non_dimenticate indispensabil* al_più_tardi solo_se soltanto_se ogni_volta
            fai_in_modo fate_in_modo""",
        permission="""
            può puoi possono permess* autorizzat* libero_di possiamo potete consentit* via_libera luce_verde nulla_osta
            approvat* sentiti_libero fai_pure fate_pure vai_pure mi_sta_bene per_me_va_bene""",
        innocent="ne solo finalmente lista prima termine termini finire online",
    ),
    Language(
        code="nl",
        common="""
            de het een en of maar als dan dat die dit deze er ik je jij hij zij ze wij we jullie u mij me mijn jouw zijn
            haar ons onze hun hen is was waren ben bent wordt worden werd heeft heb hebben had van naar in op aan bij
            met voor over onder uit door om te tot sinds tussen ook nog al wel zeer heel zo hoe wat wie waar wanneer
            waarom hier daar nu vandaag gisteren morgen altijd alles alle veel meer goed dank bedankt hallo hoi graag ja
            oké eens even gewoon toch niet geen hem uw iets iemand zelf zulke elk elke ieder iedere weinig sommige
            andere zou zouden geweest gedaan ging gingen kwam kwamen gaat gaan komt komen doet doen deed maakt zegt zei
            ziet zag weet dacht denk vond vind avond week jaar dag dagen tijd keer mensen ding dingen huis want omdat
            toen terwijl daarna eerst misschien eigenlijk best erg leuk mooi lekker groot klein""",
        negation="""
            niet niets nooit niemand geen zonder noch behalve verbod* verbied* verboden vermijd* weiger* uitgezonderd
            in_plaats_van alleen_lezen nergens buiten_scope nee laat_maar vergeet_het vergeet_dat blijf_weg afgezien_van
            uitzondering* uitgesloten sluit_uit ipv schrap* afwijz* afgewezen wijs_af onthoud_je taboe afgeraden
            buiten_kijf stop_met hou_op verwerp*""",
        modality="""
            moet moeten moest mag mogen kan kunnen kon zou zouden hoeft hoeven verplicht* vereist* nodig noodzakelijk
            altijd alleen uitsluitend toegestaan maximum maximaal minimaal limiet* grens budget* termijn regel regels
            belangrijk* zorg_dat zorg_ervoor hoogstens minstens zal zult moesten mocht mochten kunt kun dient dienen
            behoor* eis eisen eist voorwaarde* zonder_uitzondering elke_keer telkens strikt beslist ten_minste tenminste
            ten_hoogste minimum* niet_meer_dan niet_langer_dan niet_later_dan hooguit meer_dan minder_dan bovengrens
            ondergrens plafond overschrijd* overschreden drempel* quotum uiterlijk deadline einde_van vervalt richtlijn*
            conventie* beleid voorschrift* beperking* houd_je_aan hou_je_aan voldoe* cruciaal essentieel onmisbaar
            dringend spoed enkel_als pas_na mits vergeet_niet denk_eraan let_op let_erop genoeg volstaat zorg_dat_je
            zie_erop_toe""",
        preference="""
            liever voorkeur* wil willen wilt graag alsjeblieft alstublieft beter zou_graag ik_hou_van hou_van houd_van
            ik_haat vind_het_fijn vind_ik_fijn fijner prettiger liefst prefereer* indien_mogelijk als_het_kan
            zo_mogelijk waar_mogelijk als_je_kunt het_zou_fijn zou_fijn_zijn zou_mooi_zijn zou_leuk_zijn zou_handig_zijn
            idealiter ideaal past_mij bevalt stoort_mij wens wensen hopelijk hoop favoriet* voel_je_vrij vegetari*
            veganist* allergisch allergie* maakt_niet_uit maakt_mij_niet_uit jij_mag_kiezen neig_naar opteer* aub svp
            wilde wilden zin_in geen_zin""",
        decision="""
            beslo* beslis* besluit* gekozen kies kiezen keuze akkoord goedgekeurd goedkeur* bevestig* correctie
            eigenlijk doel* gebruik gebruiken houd ga_door ga_je_gang voortaan vanaf_nu prioriteit* ja afgesproken
            onthoud hoort_bij behoort eigenaar* eigendom verantwoordelijk* aanspreekpunt contactpersoon beheert beheerd*
            leidt leiders leiding gaat_over zorgt_voor tekent ondertekent ondertekend* tekenbevoegd* keurt_goed heet
            heten noemen_we noemt genoemd hernoemd staat_voor betekent verwijst staat_in staat_op staan_in ligt_in
            ligt_op bevindt bevinden opgeslagen gehost woon_in ik_woon werk_bij werk_als mijn_naam sinds_vorige*
            vanaf_vandaag vanaf_morgen vanaf_volgende* met_ingang_van ik_wil streven streef beoog* bedoeling is_bedoeld
            zodat opdat om_te_kunnen proberen_te probeer_te van_plan voornemen gepland prima klinkt_goed dat_is_goed
            dat_mag doe_maar ga_maar ga_verder in_orde komt_goed uiteraard tuurlijk helemaal_goed precies klopt
            geen_probleem geen_bezwaar groen_licht afspraak blijven_bij blijf_bij hou_het houden_het beloof* toezegg*
            toegezegd instem* ingestemd gestemd vastgelegd vastgesteld getekend toestemming contract weigert afgekeurd
            noteer bedoelde bedoel sorry_het verkeerd vergis* fout_van_mij mijn_fout foutje tikfout typefout corrigeer*
            gecorrigeerd rectific* maak_er_van maak_daar beter_gezegd of_liever toch_maar toch_niet bij_nader_inzien
            bedacht van_gedachten maar_niet vergeet_dat laat_maar vervang* wijzig* gewijzigd verander* wissel* omgezet
            overgestapt overstappen stap_over verplaatst vervroegd verzet neem_maar neem_dan niet_maar juist_niet""",
        state="""
            openstaand in_behandeling geblokkeerd wacht wachten klaar gedaan afgerond voltooid geannuleerd gestart bezig
            gepauzeerd uitgesteld actief gereed gesloten nog_niet momenteel te_doen nog_te_doen onderweg gepland
            ingepland afwachting achterstallig te_laat verlopen geldig ongeldig verouderd gereserveerd geboekt
            uitverkocht gearchiveerd stilgelegd bevroren gestopt afgelast onvolledig ontbreekt gepubliceerd opgeleverd
            buiten_gebruik uitgeschakeld ingeschakeld voorlopig beëindigd doorgeschoven""",
        outcome="""
            mislukt* fout fouten gefaald gecrasht kapot werkt werkte gelukt opgelost oorzaak resultaat resultaten
            geslaagd succes* verloren storing misgegaan ging_mis bug bugs probleem problemen oplossing* geweigerd
            gehaald bereikt herstel* sneller trager langzamer verbeterd verslechterd vastgelopen veroorzaakt ontdekt
            gebleken blijkt gevonden""",
        numbers="""
            twee drie vier vijf zes zeven acht negen tien elf twaalf twintig dertig veertig vijftig honderd duizend
            miljoen procent maandag dinsdag woensdag donderdag vrijdag zaterdag zondag januari februari maart april juni
            juli augustus september oktober november december dertien veertien vijftien zestien zeventien achttien
            negentien eenentwintig vijfentwintig zestig zeventig tachtig negentig tweehonderd driehonderd vijfhonderd
            tweeduizend tienduizend miljard duizenden honderden tientallen tiental dozijn helft half halve kwart derde
            dubbel drievoudig tweemaal driemaal middernacht anderhalf anderhalve""",
        units="""
            euro euro's cent dollar dollars pond ponden frank yen yuan roebel roebels kronen eur usd gbp seconde
            seconden minuut minuten uur uren dag dagen week weken maand maanden kwartaal kwartalen jaar jaren procent
            gram kilo kilo's kg ton kilometer kilometers km meter meters cm mm liter liters graden gb mb kb tb bytes
            personen mensen gasten plaatsen stuks pagina's bladzijden regels woorden tekens bestanden gebruikers
            verzoeken keer pogingen porties exemplaren nodes""",
        prohibition="""
            mag_niet mogen_niet moet_niet verboden verbied* nooit niet_toegestaan vermijd* afblijven blijf_af
            alleen_lezen in_geen_geval mag_geen zonder_te onder_geen_beding geen_sprake_van liever_niet taboe blijf_weg
            mogen_geen moet_je_niet zou_niet_moeten niet_doen niet_aanraken niet_wijzigen niet_verwijderen
            kan_niet_worden kunt_niet mag_je_niet niemand_mag zonder_toestemming zonder_goedkeuring zonder_mijn
            zonder_overleg zonder_vragen niet_overschrijden uitgesloten""",
        obligation="""
            moet moeten verplicht* vereist* noodzakelijk altijd dient dienen zonder_uitzondering telkens elke_keer
            zorg_dat zorg_ervoor vergeet_niet denk_eraan let_erop uiterlijk alleen_als alleen_wanneer pas_na onmisbaar
            eist eis""",
        permission="""
            mag mogen kan kunnen toegestaan goedgekeurd kunt kun voel_je_vrij groen_licht geen_bezwaar doe_maar
            ga_je_gang akkoord toestemming vrij_om""",
        innocent="want ten pas onze live",
    ),
    Language(
        code="ru",
        common="""
            и в во на с со к ко о об от до из за по под при для без через между у а но или если то что чтобы как так где
            когда почему кто какой какая это этот эта эти тот та те я ты он она мы вы они меня тебя его её нас вас их
            мне тебе ему ей нам вам им мой моя мои твой наш наша ваш свой был была было были есть будет буду быть уже
            ещё еще тоже также очень только все всё весь вся сейчас сегодня вчера завтра здесь там тут потом потому да
            хорошо спасибо привет пожалуйста ладно ну вот же бы ли можно не нет мной мною тобой собой себя себе нами
            вами ними него неё нее них ним ней этого этой этом этих этим того той том тех тем такой такая такие всего
            всех всем свою своей своего каждый каждая который которая которые которого куда откуда зачем сколько ведь
            даже лишь почти опять снова сразу тогда пока после перед над около этому тому день дня дней неделя неделю
            год года лет время раз люди человек дом вечер утром вечером ночью какой-то что-то кто-то где-то""",
        negation="""
            не нет ни никогда никто ничего нигде никак нельзя без кроме запрещ* запрет* избега* отказ* вместо исключ*
            только_чтение нету ничто ничуть вовсе отнюдь нив_коем недопустим* неприемлем* воздерж* отмени* забудь
            забудьте помимо отклон* отверг* против хватит прекрати* взамен оставь_в_покое""",
        modality="""
            долж* нужно надо следует обязательно обязан* необходимо необходим* требу* можно нельзя может можешь могут
            можете всегда только разреш* допуска* максимум минимум лимит* предел* бюджет* срок* правил* важно убедись
            убедитесь не_более не_менее придётся придется требование* обязател* неукоснительно строго исключительно
            каждый_раз без_исключений не_больше не_меньше не_позднее не_позже превыш* превыси* максимальн* минимальн*
            порог* квот* потол* ограничен* дедлайн* политик* инструкци* соблюда* соглашени* критич* важн* ключев* срочно
            лишь_если при_условии хватит достаточно помни помните проследи* позаботься постара* самое_большее
            по_крайней_мере вправе имеешь_право имеет_право свободно норма нормы норматив*""",
        preference="""
            предпоч* хочу хочет хотим хотел* хотелось лучше пожалуйста желательно нравится люблю хочется нравятся
            ненавижу обожаю удобнее устраивает устроит подходит подойдёт подойдет по_возможности если_можно
            если_получится если_возможно было_бы_хорошо было_бы_здорово было_бы_неплохо желательн* в_идеале идеальн*
            скорее любим* надеюсь надеемся прошу просьба будь_добр будьте_добры пожалуй вегетариан* веган* аллерги*
            мне_всё_равно мне_все_равно без_разницы на_твоё_усмотрение на_ваше_усмотрение стесняйся стесняйтесь
            раздража* склоняюсь мечта* пожелани* хочешь хотите""",
        decision="""
            реши* решен* выбра* выбира* согласен согласна согласны соглас* одобр* подтвер* приня* отклон* исправл*
            на_самом_деле цель цели используй* использовать используем оставь* давай давайте впредь отныне приорит* да
            утверд* запомни* принадлеж* владел* владеет отвеча* ответствен* заведует руковод* возглавля* курирует ведёт
            ведет утвержда* подписыва* подписа* визир* контактное_лицо зовут назыв* назван* переименова* обозначает
            означает расшифровывается находится находятся хранится хранятся расположен* размещ* живу_в я_работаю
            работаю_в начиная_с с_сегодняшнего с_завтрашнего в_дальнейшем задача пытаемся пытаюсь стремимся стремл*
            планир* намерен* намерева* собираюсь собираемся ради_того ок окей хорошо_дела* договор* подходит годится
            пойдёт пойдет конечно разумеется безусловно ладно_дела* делай делайте действуй действуйте вперёд вперед
            продолжай продолжайте поехали правильно без_проблем за_я зелёный_свет зеленый_свет разреши* позвол* обеща*
            пообеща* обязу* постанов* назнач* закрепл* зафиксир* останов* выберем возьмём возьмем берём берем остаёмся
            остаемся отказ* отверг* вернее точнее то_есть имел_в_виду имела_в_виду я_имел_в_виду в_смысле ошибся
            ошиблась ошибаюсь перепутал* неправ* неверно извини_это извините_это поправ* исправ* уточн* опечатк* забудь
            забудьте передума* вместо_этого а_не замен* поменя* смени* переключ* перейд* перешли перенес* отмен* на_деле
            вообще-то лучше_так пусть_будет путь_будет учти* учитывай* имей_в_виду имейте_в_виду чтобы_мы чтобы_я
            чтобы_можно для_того целью целей всё_верно верно_так лежит_в лежат_в""",
        state="""
            ожида* ждёт ждет заблокирован* в_работе в_процессе готово готов готова готовы сделано сделан* завершен*
            завершён* заверши* закончен* отменен* отменён* приостановл* отложен* начат* запущен* открыт* закрыт* активн*
            сейчас ждём ждем ждут запланирован* просроч* истек* истёк* действует действителен действительн* устарел*
            забронир* зарезервир* распродан* архив* заморож* остановлен* прекращ* незаверш* осталось пока_не ещё_не
            еще_не опубликован* сдан* отключен* отключён* включен* включён* временно недоступ* доступ* выполнен*
            выполня* закончил*""",
        outcome="""
            ошибк* сбой упал упала упали слома* сломан* работает заработа* получилось удалось успех* успешно решено
            исправлен* причин* результат* провал* потерян* сработал* не_вышло неудач* достиг* превысил* отказано
            отклонен* отклонён* проблем* баг баги багов решение решил* вызван* восстанов* проверен* выясни* оказал*
            обнаруж* улучши* ухудши* быстрее медленнее завис* поломк* сбоя сбои сбоев падени* потерял*""",
        numbers="""
            два две три четыре пять шесть семь восемь девять десять двадцать тридцать сорок пятьдесят сто тысяч*
            миллион* процент* понедельник* вторник* среду среда четверг* пятниц* суббот* воскресень* январ* феврал*
            март* апрел* май мая июн* июл* август* сентябр* октябр* ноябр* декабр* двое трое четверо одиннадцать
            двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать шестьдесят
            семьдесят восемьдесят девяносто двести триста четыреста пятьсот миллиард* десятк* сотн* дюжин* половин*
            полтора полторы треть четверт* дважды трижды полдень полночь двух трёх трех пяти десяти""",
        units="""
            рубль рубля рублей рубли рублях доллар доллара долларов евро фунт фунта фунтов юань юаня юаней иена иены иен
            гривна гривен тенге копейка копеек цент цента центов крон франков секунда секунды секунд секунду минута
            минуты минут минуту час часа часов день дня дней неделя недели недель неделю месяц месяца месяцев квартал
            квартала год года лет процент процента процентов грамм грамма граммов кг килограмм килограмма килограммов
            тонна тонны тонн километр километра километров км метр метра метров литр литра литров градус градуса
            градусов гб мб кб человек гостей гостя мест страниц страницы строк строки слов слова символов файлов файла
            пользователей запросов раз раза попыток попытки штук штуки порций экземпляров руб""",
        prohibition="""
            нельзя запрещ* запрет* никогда не_должен не_должна не_должны не_следует не_нужно не_надо не_трога* не_меня*
            не_изменя* избега* ни_в_коем_случае только_чтение ни_за_что ни_при_каких недопустим* неприемлем* воздерж*
            не_смей не_смейте не_должно не_может не_могут не_разреша* не_допуска* не_стоит не_превыша* без_разрешения
            без_согласования без_согласия без_моего без_спроса не_удаля* не_использ* не_пиши не_пишите не_отправля*
            не_запуска* не_публику* исключено никто_не_должен""",
        obligation="""
            долж* нужно надо следует обязательно обязан* необходимо всегда придётся придется неукоснительно
            без_исключений каждый_раз требуется требуются необходим* не_забудь не_забудьте не_позднее не_позже убедись
            убедитесь проследи* только_если только_после строго""",
        permission="""
            можно может можешь можете разреш* допуска* одобрен* могут вправе имеешь_право имеет_право не_против
            не_возража* не_стесняйся не_стесняйтесь позвол* согласован* зелёный_свет зеленый_свет дал_добро""",
    ),
    Language(
        code="ar",
        common="""
            في من إلى الى على عن مع هذا هذه ذلك تلك الذي التي هو هي هم نحن أنا انا أنت انت ما ماذا متى أين كيف لماذا كان
            كانت يكون قد لقد ثم أو او إذا اذا أن ان إن كل بعض بعد قبل عند حتى هنا هناك الآن اليوم أمس غدا جدا أيضا شكرا
            مرحبا نعم و لا لم لن الذين اللذين هؤلاء أولئك كانوا كنت كنا نكون لكن ولكن بل لأن حيث بين تحت فوق خلال منذ
            كما مثل غير أي أيضاً جداً عليه عليها إليه لها له لهم لنا لي لك به بها فيه فيها منه منها نفس يوم أيام أسبوع
            شهر سنة وقت شيء ناس بيت مساء صباح وهو وهي""",
        negation="""
            لا لم لن ليس ليست غير بدون دون ممنوع محظور يمنع تجنب أبدا ابدا رفض باستثناء إلا الا عدم بدلا ليسوا لست لسنا
            أبداً مطلقا مطلقاً قطعا إطلاقا بتاتا عدا سوى خلا بلا ولا ولم ولن بدلاً امتنع امتنعوا توقف توقفوا حظر منع
            رفضت رفضنا أرفض نرفض استبعد مستبعد مرفوض مرفوضة دعك اترك انس""",
        modality="""
            يجب ينبغي لازم ضروري مطلوب يلزم يمكن يمكنك يجوز مسموح دائما فقط الحد حد أقصى اقصى أدنى ميزانية موعد قاعدة
            مهم تأكد يتعين يتوجب لا_بد لابد واجب وجوب إلزامي إلزامية الزامي مطلوبة ضرورية ضرورة من_الضروري من_المهم
            يلزمنا نحتاج أحتاج تحتاج يحتاج بحاجة حاجة يستطيع تستطيع نستطيع يحق يسمح نسمح يتجاوز تتجاوز كحد الأقصى الأدنى
            على_الأكثر على_الأقل لا_يزيد لا_تزيد لا_يقل قبل_نهاية بحلول الموعد مهلة سقف حدود قيود قيد قواعد سياسة شرط
            شروط بشرط إلا_إذا دائماً كل_مرة تأكدي تأكدوا احرص احرصوا لا_تنس لا_تنسى مهمة أساسي عاجل ميزانيتي ميزانيتنا
            الميزانية حصة التزم التزموا عليك_أن عليكم_أن علينا_أن""",
        preference="""
            أفضل افضل أريد اريد نريد أود رجاء لو_سمحت من_فضلك أحب أكره نفضل يفضل تفضل أفضّل يفضّل تفضيل مفضل المفضل نود
            أرغب نرغب رغبة أتمنى نتمنى يا_ريت ليت آمل نأمل يعجبني تعجبني يناسبني يناسبنا الأفضل الأحسن إن_أمكن إذا_أمكن
            قدر_الإمكان لو_أمكن حبذا سيكون_رائعا سيكون_من_الجيد لطفا لطفاً الرجاء أرجو نرجو يرجى رجاءً نباتي نباتية
            حساسية كما_تريد كما_تشاء لا_تتردد بدل""",
        decision="""
            قرر قررت قررنا قرار اخترت اخترنا اختيار موافق وافق وافقت موافقة أكد تصحيح هدف الهدف استخدم نعم تفضل أولوية
            القرار اتفقنا اتفق اتفاق متفقون نوافق أوافق يوافق وافقنا الموافقة اعتمد اعتماد معتمد أقر صدق يؤكد تأكيد مؤكد
            مسؤول مسؤولة المسؤول المسؤولة مسؤولية صاحب صاحبة مالك مالكة يملك تملك يملكها تابع تابعة ينتمي يدير تدير مدير
            مديرة يشرف تشرف مشرف يوقع توقع توقيع يتولى تتولى يسمى تسمى اسمه اسمها اسمي يدعى سمه سمها يعني معناه يقع تقع
            موجود موجودة محفوظ محفوظة مخزن مخزنة يوجد توجد أعيش أسكن أعمل نعمل من_الآن_فصاعدا من_الآن ابتداء ابتداءً
            اعتبارا اعتباراً منذ_يوم هدفي هدفنا غرض الغرض الغاية غاية لكي حتى_نتمكن نحاول أحاول نسعى أسعى نهدف نخطط أخطط
            أنوي ننوي خطة حسنا حسناً طيب تمام ماشي أكيد بالتأكيد طبعا طبعاً بالطبع لا_مانع لا_بأس على_الرحب استمر استمري
            واصل امض ابدأ صحيح بالضبط أجل إي فعلا في_الواقع في_الحقيقة بالأحرى أقصد قصدت أعني عنيت أخطأت كنت_مخطئا
            خطأ_مني عفوا عفواً آسف_هو تصويب صحح التصحيح بل بدل بدلا_من عوضا عوضاً وليس غيرت غيرنا غير_رأيي استبدل
            انس_ذلك تجاهل استخدمي استعمل نستخدم سنستخدم سأستخدم اختار نختار وعد وعدت أعد التزمت عقد أبقِ احتفظ تذكر
            تذكري لاحظ أولويات تقرر""",
        state="""
            معلق معلقة محظور متوقف انتظار ينتظر بانتظار جاري قيد تم مكتمل اكتمل انتهى ملغى ملغاة ألغي جاهز مفتوح مغلق
            مؤجل مؤجلة تأجل متأخر متأخرة مجدول مخطط منته منتهي منتهية ساري سارية صالح لم_يكتمل لم_يبدأ بدأ بدأت يجري
            تحت_المراجعة محجوز محجوزة نفد متاح متاحة معطل معطلة مفعل مفعلة حاليا مؤقتا جاهزة مفتوحة مغلقة متبقي تبقى نشر
            منشور متوقفة""",
        outcome="""
            فشل فشلت خطأ أخطاء نجح نجحت نجاح تعطل سبب نتيجة تعمل يعمل حل لم_ينجح عطل أعطال مشكلة مشاكل فشلنا نجحنا أصلح
            إصلاح بسبب نتائج أسباب النتيجة السبب رفض مرفوض تحسن أسرع أبطأ استعاد اكتشف اكتشفنا تبين اتضح انهار تجاوز""",
        numbers="""
            اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة عشرون مئة مائة ألف مليون الاثنين الثلاثاء الأربعاء الخميس
            الجمعة اثنين اثنتين اثنا ثلاث أربع خمس ست سبع ثمان ثماني تسع عشر عشرين ثلاثون ثلاثين أربعون أربعين خمسون
            خمسين ستون سبعون ثمانون تسعون مئتان مئتين مئات آلاف ألفان ألفين ملايين مليار نصف ثلث ربع ضعف السبت الأحد
            يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر منتصف""",
        units="""
            دولار دولارا دولاراً دولارات يورو ريال ريالا ريالات درهم درهما دراهم دينار دينارا دنانير جنيه جنيها جنيهات
            ليرة ليرات روبية ين يوان سنت ثانية ثواني ثوان دقيقة دقائق ساعة ساعات يوم يوما أيام أسبوع أسابيع أسبوعا شهر
            شهرا أشهر شهور سنة سنوات عام عاما أعوام بالمئة بالمائة غرام جرام كيلو كيلوغرام كيلوجرام طن كيلومتر متر مترا
            أمتار لتر درجة درجات جيجابايت ميجابايت شخص شخصا أشخاص ضيف ضيوف صفحة صفحات سطر أسطر كلمة كلمات حرف أحرف ملف
            ملفات مستخدم مستخدمين طلب طلبات مرة مرات محاولة محاولات قطعة قطع نسخ""",
        prohibition="""
            لا_يجوز لا_يجب لا_تقم لا_تعدل لا_تغير لا_تلمس ممنوع محظور يمنع تجنب أبدا ابدا لا_تفعل لا_تستخدم لا_تحذف
            لا_ترسل لا_تنشر لا_تشغل لا_تكتب لا_تتجاوز لا_يتجاوز لا_يسمح لا_يمكن لا_ينبغي لا_يحق لا_تحاول لا_تقترب لا_تضع
            لا_تذكر لا_تشارك غير_مسموح غير_مقبول بدون_إذن دون_إذن بدون_موافقة دون_موافقة مطلقا بتاتا إياك إياكم امتنع
            امتنعوا حظر المحظور للقراءة_فقط مرفوض ابتعد""",
        obligation="""
            يجب ينبغي لازم ضروري مطلوب دائما يتعين يتوجب لا_بد لابد واجب إلزامي إلزامية مطلوبة ضرورية من_الضروري تأكد
            تأكدي احرص لا_تنس لا_تنسى دائماً كل_مرة بحلول يلزم في_موعد_أقصاه فقط عليك_أن عليكم_أن علينا_أن""",
        permission="""
            يمكن يمكنك يجوز مسموح موافق يسمح يحق لا_مانع لا_بأس أوافق نوافق وافق وافقت الموافقة مسموحة معتمد لك_الحرية
            لا_تتردد""",
    ),
    Language(
        code="hi",
        common="""
            है हैं था थी थे हूँ हूं हो का की के को में से पर और या लेकिन अगर तो कि यह वह ये वे मैं हम तुम आप मेरा मेरी
            हमारा आपका क्या कौन कब कहाँ क्यों कैसे ने भी ही तक लिए साथ बाद पहले अब आज कल यहाँ वहाँ बहुत कुछ सब अच्छा
            धन्यवाद नमस्ते हाँ जी नहीं हमें हमको मुझे मुझको तुम्हें आपको उसे उन्हें इसे इन्हें उसका उसकी उसके उनका उनकी
            इसका इसकी अपना अपनी अपने जो जब जहाँ जैसे ऐसे वैसे फिर तब रहा रही रहे गया गई गए किया करना करने करते कर दिया
            दी लिया ली थोड़ा ज़्यादा दिन साल समय लोग घर शाम सुबह बात चीज़ एक लगा देखा हुआ हुई हुए क्योंकि इसलिए ताकि
            वाला वाली वाले होता होती होते""",
        negation="""
            नहीं न ना मत कभी_नहीं बिना सिवाय मना निषिद्ध वर्जित बजाय छोड़कर हरगिज़ हरगिज कदापि रोक रोको इनकार इंकार
            अस्वीकार अस्वीकृत की_जगह छोड़_दो रहने_दो जाने_दो भूल_जाओ मनाही प्रतिबंध प्रतिबंधित टालो टालें बचें बचो हटाओ
            वरना नामंज़ूर खारिज अलावा""",
        modality="""
            चाहिए ज़रूरी जरूरी आवश्यक अनिवार्य पड़ेगा होगा सकते सकता सकती अनुमति हमेशा केवल सिर्फ अधिकतम न्यूनतम सीमा
            बजट नियम होनी होने पड़ेगी पड़ेंगे पड़ता पड़ती करना_है होंगे होगी ज़रूर जरूर अवश्य हर_बार बिना_चूके
            ज़्यादा_से_ज़्यादा ज्यादा_से_ज्यादा कम_से_कम से_ज़्यादा_नहीं से_ज्यादा_नहीं से_अधिक_नहीं से_कम_नहीं सीमित
            समयसीमा अंतिम_तिथि आखिरी_तारीख डेडलाइन से_पहले के_अंदर के_भीतर नीति शर्त शर्तें पाबंदी निर्देश महत्वपूर्ण
            ज़रूरत जरूरत आवश्यकता मात्र तभी जब_तक सुनिश्चित ध्यान_रखें ध्यान_रखना ध्यान_रहे याद_रखना याद_रखें मत_भूलना
            सकेंगे इजाज़त इजाजत पर्याप्त काफ़ी काफी तुरंत""",
        preference="""
            पसंद चाहता चाहती चाहते बेहतर कृपया पसंदीदा नापसंद पसन्द अच्छा_लगता अच्छा_लगेगा अच्छा_होगा ठीक_रहेगा
            अगर_हो_सके हो_सके_तो यदि_संभव संभव_हो_तो जहाँ_तक_हो_सके आदर्श चाहूँगा चाहूंगा चाहूँगी चाहूंगी चाहेंगे इच्छा
            मन_है उम्मीद आशा काश प्लीज़ प्लीज मेहरबानी शाकाहारी एलर्जी सुविधाजनक आसान_रहेगा जैसा_आप_चाहें आपकी_मर्ज़ी
            तुम्हारी_मर्ज़ी बेझिझक वरीयता प्राथमिकता बल्कि""",
        decision="""
            फैसला निर्णय चुना तय सहमत मंज़ूर मंजूर स्वीकृत स्वीकार पुष्टि सुधार लक्ष्य उद्देश्य इस्तेमाल उपयोग हाँ
            फ़ैसला निश्चित चुनेंगे चुनें चुनो सहमति राज़ी राजी मान_लिया अनुमोदित अनुमोदन स्वीकृति मंज़ूरी मंजूरी
            हस्ताक्षर साइन ज़िम्मेदार जिम्मेदार ज़िम्मेदारी जिम्मेदारी ज़िम्मे मालिक स्वामी प्रभारी संभालता संभालती
            संभालते देखता_है देखती_है प्रबंधक नाम कहते कहलाता कहलाती बुलाओ बुलाते मतलब अर्थ स्थित रखा_है रखी_है रखे_हैं
            रहता_हूँ रहती_हूँ काम_करता काम_करती अब_से आगे_से आज_से कल_से मक़सद मकसद ताकि कोशिश प्रयास इरादा योजना हां
            ठीक_है बिल्कुल बेशक चलेगा कर_दो करो कीजिए करें आगे_बढ़ो आगे_बढ़ें चलो सही पक्का कोई_बात_नहीं कोई_दिक्कत_नहीं
            हरी_झंडी वादा वचन दरअसल असल_में वास्तव_में गलत_था ग़लत ग़लती माफ़_करना माफ_करना सुधारना संशोधन बदल बदलो
            बदलें बदलकर के_बजाय की_जगह की_बजाय नहीं_बल्कि भूल_जाओ छोड़ो प्रयोग याद_रखना रखो रखें नोट""",
        state="""
            लंबित अवरुद्ध रुका प्रतीक्षा जारी पूरा पूर्ण समाप्त रद्द तैयार शुरू चालू बंद बाकी बाक़ी अधूरा अधूरी विलंबित
            स्थगित टल निर्धारित समीक्षा हो_चुका हो_चुकी चल_रहा चल_रही अटका अटकी बुक आरक्षित समाप्ति वैध मान्य अमान्य
            खुला सक्रिय निष्क्रिय उपलब्ध फिलहाल फ़िलहाल अभी_नहीं अभी_तक प्रकाशित""",
        outcome="""
            विफल असफल त्रुटि गलती सफल ठीक कारण परिणाम टूटा नहीं_चला काम_नहीं चल_गया फेल पास समस्या दिक्कत गड़बड़ खराब
            ख़राब हल समाधान वजह नतीजा परिणामस्वरूप सफलता असफलता पहुँच पता_चला सामने_आया तेज़ धीमा बेहतर_हुआ अस्वीकृत
            क्रैश एरर सुलझ""",
        numbers="""
            दो तीन चार पाँच पांच छह सात आठ नौ दस बीस पचास सौ हज़ार हजार लाख करोड़ प्रतिशत सोमवार मंगलवार बुधवार गुरुवार
            शुक्रवार ग्यारह बारह तेरह चौदह पंद्रह पन्द्रह सोलह सत्रह अठारह उन्नीस पच्चीस तीस चालीस साठ सत्तर अस्सी नब्बे
            डेढ़ ढाई आधा आधे आधी दोनों तीनों दर्जन दोगुना तिगुना शनिवार रविवार जनवरी फरवरी मार्च अप्रैल मई जून जुलाई
            अगस्त सितंबर अक्टूबर नवंबर दिसंबर दोपहर हज़ारों लाखों""",
        units="""
            रुपये रुपए रुपया रुपयों रूपये डॉलर यूरो पाउंड पैसे दिरहम सेकंड मिनट घंटा घंटे घंटों दिन दिनों सप्ताह हफ़्ते
            हफ्ते हफ़्ता महीना महीने महीनों तिमाही साल सालों वर्ष प्रतिशत फ़ीसदी फीसदी ग्राम किलो किलोग्राम टन किलोमीटर
            किमी मीटर सेंटीमीटर लीटर डिग्री जीबी एमबी लोग लोगों व्यक्ति मेहमान सीट सीटें पन्ने पृष्ठ पंक्तियाँ शब्द
            शब्दों अक्षर फ़ाइलें फाइलें उपयोगकर्ता बार प्रयास टुकड़े प्रतियाँ""",
        prohibition="""
            मत कभी_नहीं नहीं_करना नहीं_करें न_करें ना_करें मना निषिद्ध वर्जित नहीं_चाहिए हरगिज़ हरगिज कदापि बिल्कुल_नहीं
            मनाही प्रतिबंधित प्रतिबंध नहीं_होना नहीं_होनी अनुमति_नहीं इजाज़त_नहीं नहीं_छूना नहीं_बदलना बिना_पूछे
            बिना_अनुमति बिना_मंज़ूरी बिना_इजाज़त बचें टालें से_ज़्यादा_नहीं से_ज्यादा_नहीं से_अधिक_नहीं नहीं_भेजना
            नहीं_चलाना""",
        obligation="""
            चाहिए ज़रूरी जरूरी आवश्यक अनिवार्य हमेशा करना_है करना_होगा करनी_होगी करने_होंगे पड़ेगा पड़ेगी ज़रूर जरूर
            अवश्य हर_बार सुनिश्चित ध्यान_रखें ध्यान_रखना याद_रखना याद_रखें मत_भूलना तभी केवल सिर्फ""",
        permission="""
            सकते सकता सकती अनुमति स्वीकृत सकेंगे इजाज़त इजाजत मंज़ूरी मंजूरी स्वीकृति अनुमोदित हरी_झंडी बेझिझक चलेगा""",
    ),
    Language(
        code="zh",
        spaced=False,
        common="""
            的 了 是 在 有 我 你 您 他 她 它 们 这 那 个 和 与 就 都 也 很 会 要 说 去 来 把 被 对 从 到 吗 呢 吧 啊 好
            谢 请 什么 怎么 一 着 过 得 地 里 上 下 中 后 前 又 再 还 更 最 给 让 向 但 而 因为 所以 如果 虽然 然后 今天
            昨天 明天 现在 我们 你们 他们 大家 自己 没有 时候 觉得 知道""",
        negation="""
            不 没 无 非 别 勿 禁止 严禁 避免 除了 除非 未 拒绝 而不是 莫 否 杜绝 反对 免 算了 取消 排除 之外 以外 除此
            休想 拒""",
        modality="""
            必须 应该 应当 需要 可以 能够 不能 只能 允许 许可 要求 务必 一定 总是 始终 只 仅 最多 最少 至少 不超过 上限
            下限 限制 预算 截止 规则 重要 确保 保证 得先 须 需 必要 强制 可否 最高 最低 最大 最小 不高于 不低于 不多于
            不少于 不晚于 不迟于 以内 之内 以下 以上 之前 封顶 顶多 至多 起码 限额 额度 配额 截至 期限 到期 最晚 最迟
            规定 规范 政策 约束 前提 条件 唯一 严格 一律 每次 关键 紧急 除非 才能 有权 尽快 记得 别忘 超过 不许""",
        preference="""
            喜欢 偏好 希望 想 宁 最好 讨厌 请 不爱 倾向 但愿 盼 尽量 尽可能 可能的话 如果可以 如果可能 方便的话 麻烦
            拜托 劳驾 随意 随便 都行 都可以 你定 你决定 看你 不介意 适合我 更适合 更方便 比较方便 更好 更合适 受不了
            素食 吃素 过敏 忌口 习惯 心仪 打算 愿意 喜爱""",
        decision="""
            决定 选择 选 同意 批准 确认 接受 更正 其实 改成 改为 改用 目标 使用 采用 保留 继续 从现在起 以后 优先 记住
            授权 是的 好的 定了 定为 定在 说好 敲定 拍板 商定 约定 达成 通过了 准了 许可 没问题 没意见 可以的 好吧 当然
            没错 对的 正确 就这样 就这么 照办 去做吧 开始吧 放心 赞成 负责 属于 所有者 拥有 主管 管理员 经理 领导 审批
            签字 签署 签核 对接 联系人 叫做 名叫 名为 称为 命名 改名 代号 指的是 位于 存放 放在 在哪 住在 我在 从今 今后
            自从 往后 即日起 目的 为了 以便 旨在 力求 争取 试图 正在尝试 计划 打算 想法 意图 使命 承诺 保证 答应 发誓
            合同 协议 意思 说错 搞错 弄错 错了 纠正 修正 更改 变更 换 代替 取代 而是 应该是 准确地说 不对 抱歉 作废 收回
            撤回 撤销 忘掉 忽略 再想 想了想 重新考虑 事实上 实际上 就用 沿用 确定 决心 驳回 否决 记下 请记 注意 备注
            签约 推迟到 提前到 挪到 归谁 归我 归他 归她 归属 归口 还是用 还是要""",
        state="""
            等待 待办 待处理 阻塞 受阻 进行中 正在 完成 已 结束 取消 暂停 推迟 就绪 开始 关闭 打开 尚未 待定 未完 排队
            排期 计划中 处理中 审核中 审查中 逾期 过期 失效 有效 生效 作废 预订 预约 售罄 停用 启用 下线 上线 归档 搁置
            延期 延后 延迟 剩余 剩下 还剩 目前 暂时 中止 中断 卡住 挂起 冻结""",
        outcome="""
            失败 错误 报错 崩溃 成功 通过 解决 修复 原因 结果 坏 发现 丢失 故障 不行 不管用 没用 不工作 有效果 见效 搞定
            达到 未达 超出 恢复 导致 由于 问题 缺陷 漏洞 异常 超时 拒绝 证实 验证 查明 变快 变慢 改善 恶化 挂了 卡死""",
        numbers="""
            二 两 三 四 五 六 七 八 九 十 百 千 万 亿 周一 周二 周三 周四 周五 星期 半 双 倍 周日 周末 礼拜 一月 中午
            午夜 季度 俩 仨""",
        units="""
            元 块 美元 美金 欧元 英镑 日元 人民币 卢布 韩元 港币 港元 卢比 毛 分钱 秒 秒钟 分钟 小时 个小时 天 日 周
            个星期 星期 个月 月 季度 年 岁 克 千克 公斤 斤 吨 公里 千米 米 厘米 毫米 升 毫升 度 字 字节 页 行 个 人 位
            名 次 份 件 台 条 张 间 遍 倍 成 折""",
        prohibition="""
            不要 不得 不能 不可 不许 不准 不应 禁止 严禁 请勿 切勿 勿 别 绝不 避免 只读 不超过 不允许 不行 杜绝 未经
            擅自 决不 休想""",
        obligation="""
            必须 应该 应当 需要 务必 一定要 始终 总是 必需 须 要求 一律 每次 强制 记得 别忘 确保 保证 最晚 最迟 只有
            不得不 得先""",
        permission="可以 允许 许可 批准 同意 准许 有权 没问题 没意见 随意 都行 赞成",
    ),
    Language(
        code="ja",
        spaced=False,
        common="""
            の は が を に で と も へ から まで より です ます だ した して いる ある この その あの これ それ ね よ か
            ありがとう はい ました でした だった けど けれど ので のに ながら たり って など ほど くらい ぐらい とても
            すごく 私 僕 俺 彼 彼女 みんな 今日 昨日 明日 時 とき こと もの ところ そして でも しかし また もう まだ""",
        negation="""
            ない ません なく なし ず ぬ 不 無 未 非 禁止 厳禁 避け やめ 除く 除い 除外 以外 代わりに せずに なかっ
            決して 絶対に 却下 反対 結構です 代わり 替わり 抜き 抜いて 対象外 外して 控え 遠慮 断り 断る だめです だめだ
            ダメです ダメだ""",
        modality="""
            べき 必要 必ず なければ ねば てもよい ていい できる 可能 許可 常に のみ だけ 以上 以下 以内 最大 最小 上限
            下限 制限 予算 期限 規則 ルール 重要 絶対 必須 なくてはならな ないといけな なきゃ なくちゃ 義務 要件
            しかない 限り 限る 限定 以外は 超え 超過 を上回 を下回 未満 最高 最低 最長 最短 少なくとも せいぜい 多くても
            遅くとも までに 締切 締め切り 〆切 納期 期日 枠 方針 基準 規定 規約 規格 条件 制約 厳守 順守 遵守 徹底 毎回
            いつも 至急 急ぎ 大事 大切 肝心 原則 例外 てよい てもいい 構わない 自由に 忘れずに 忘れないで 念のため
            確実に 限度 許容""",
        preference="""
            たい 欲しい ほしい 希望 ください 方がいい ほうがいい 嫌 お願い なるべく できれば 好き 好み 苦手 望 願 欲し
            てほし てもらえ ていただけ 嬉しい 助かり 助かる できたら 可能なら 可能であれば もしよければ よろしければ
            できるだけ 極力 都合がいい 都合が良い 使いやすい やりやすい どちらかと むしろ 任せ ご自由 アレルギー 菜食
            ベジタリアン ヴィーガン 気に入 方がよ 方が良 よさそう つもり 好む 好ま 好ん""",
        decision="""
            決め 決定 選 同意 承認 確認 了解 訂正 実は 目的 目標 使う 使っ 使用 使わ 採用 変更 続け 進め 今後 これから
            優先 はい 覚え 決まり 確定 合意 約束 賛成 承知 了承 かしこまり 分かりました わかりました オッケー 大丈夫
            問題ない 問題ありません お願いします どうぞ やりましょう もちろん その通り そのとおり 正しい 担当 責任
            管理者 所有 持ち主 オーナー 所属 属し 決裁 署名 サイン 窓口 連絡先 呼びます と呼 呼んで という名 名前 名称
            称し 命名 改名 意味 指し にあります に置 置いて 保存 住んで 勤め 働いて 以来 以降 以後 本日から 明日から
            今日から 来週から 狙い 目指 試み ようとし 計画 予定 方針 意図 つもり 間違 勘違い 誤 失礼 正しくは 正確には
            ではなくて じゃなくて というより やっぱり やはり 考え直 気が変 取り消 撤回 忘れて 無視 差し替え 置き換え
            入れ替え 切り替え 変え 直して 代えて にしましょう にします 採択 認め 許可 契約 保証 却下 否決 するために
            できるように するように なるように 略して 略称 やってください でいいです でいいよ""",
        state="""
            保留 待ち 待って ブロック 進行中 作業中 完了 終わ 済 中止 キャンセル 停止 延期 準備 開始 まだ 現在 未着手
            未定 未解決 予定 遅延 遅れ 期限切れ 失効 有効 無効 廃止 予約 満席 売り切れ 審査中 確認中 検討中 対応中
            処理中 実行中 残り 残って 今のところ 当面 暫定 公開 凍結 中断 アーカイブ 解約""",
        outcome="""
            失敗 エラー 落ち 成功 合格 解決 修正 直し 直っ 原因 結果 壊 動い 動か 障害 だめでした うまくいかな
            うまくいき うまくいっ できなかっ できました 直りました 達成 未達 超過し 拒否され 問題 不具合 バグ 例外
            タイムアウト 復旧 復元 回復 のせい 判明 分かった 見つか 確認でき 改善 悪化 速く 遅く 固まっ 止まっ 故障
            紛失""",
        numbers="""
            二 三 四 五 六 七 八 九 十 百 千 万 億 月曜 火曜 水曜 木曜 金曜 土曜 日曜 一月 半分 半額 倍 正午 深夜 ふたつ
            両方""",
        units="""
            円 ドル ユーロ ポンド 元 ウォン ルーブル ルピー セント 秒 分 時間 時 日 日間 週 週間 か月 ヶ月 カ月 ヵ月 月
            年 年間 パーセント 割 グラム キロ キログラム トン キロメートル メートル センチ ミリ リットル 度 文字 字 語
            バイト ギガ メガ ページ 行 個 人 名 件 回 枚 本 台 冊 点 つ 部 席 箱""",
        prohibition="""
            ないで てはいけ ではいけ てはなら ちゃだめ 禁止 厳禁 べきではな べからず しないこと やめて 避け 触らない
            読み取り専用 絶対に ないように 決して だめです てはだめ ちゃいけ ちゃダメ べきでない べきじゃな 許されな
            許可されていな 認められな 認めませ 無断 勝手に 許可なく 承認なし 承認なく 超えない 超えてはな お断り 控えて
            ご遠慮 遠慮して ダメです ダメだ 駄目です するな。 触るな。 使うな。 消すな。 書くな。 変えるな。 だめだ""",
        obligation="""
            べき 必要 必ず なければ 常に 必須 なきゃ なくちゃ ないといけな ねばならな なくてはならな 義務 厳守 徹底 毎回
            忘れずに 忘れないで 遅くとも""",
        permission="""
            てもよい ていい できる 許可 承認 構いません かまいません てもいい てよい ても構 ても大丈夫 大丈夫です 構わな
            問題ありません 自由に お任せ どうぞ 了承 認め でいいです""",
    ),
    Language(
        code="ko",
        spaced=False,
        common="""
            이 가 은 는 을 를 에 의 도 로 와 과 하고 그리고 그 저 것 수 다 요 니다 네 안녕 감사 고마 에서 으로 에게 한테
            까지 부터 보다 처럼 만큼 이나 거나 지만 는데 니까 면서 저는 나는 우리 제가 내가 그는 그녀 오늘 어제 내일 때
            정말 아주 너무 많이 좀 그런데 하지만 그래서 또 이제""",
        negation="""
            않 안_ 못 없 말아 마세요 지_마 지_말 금지 제외 불가 아니 피하 대신 말고 안해 안됨 절대 결코 전혀 거부 거절
            반대 싫어 빼고 하지마 아닌 삼가 자제 불허 취소해 관둬 그만해 그만하""",
        modality="""
            해야 어야 아야 야_합니다 필요 반드시 꼭 항상 수_있 가능 허용 허락 만_ 이상 이하 최대 최소 상한 제한 예산
            마감 규칙 중요 필수 하여야 돼야 할_것 의무 요건 요구 언제나 매번 오직 뿐 한해 한하여 한정 초과 넘지 넘으면
            이내 미만 최고 최저 적어도 늦어도 까지_제출 까지는 기한 기일 한도 하한 방침 정책 기준 규정 조건 제약 준수
            엄수 예외 원칙 핵심 시급 괜찮 도_돼 도_됩니다 자유롭게 잊지 확실히 권한 허가 경우에만 지켜야 지켜_주""",
        preference="""
            좋아 선호 싶 원하 원해 싫 주세요 바랍니다 가급적 되도록 좋겠 좋을_것 좋을_듯 더_좋 낫 편이 편해 편합
            편하 희망 원합 해_줘 해줘 부탁 가능하면 가능한_한 될_수_있으면 이왕이면 웬만하면 이상적 마음에 취향
            차라리 오히려 알아서 맡길 맡겨 상관없 아무거나 편한_대로 채식 비건 알레르기 알러지 못_먹 즐겨 질색
            감사하겠 바라며 바라요""",
        decision="""
            결정 선택 동의 승인 확인 수락 정정 사실 목표 목적 사용 쓰 유지 진행 앞으로 우선 기억 네 정했 정하 정해 확정
            합의 약속 찬성 좋아요_그렇게 그렇게_해 그렇게_하 그러세요 알겠습니다 알겠어요 알았어 오케이 당연 물론 맞아
            맞습니다 문제없 문제_없 계속하 계속해 해봐 담당 책임 관리자 소유 주인 소속 결재 서명 사인 연락처 창구 명칭
            명명 개명 가리키 위치 근무 일합니다 일해 오늘부터 내일부터 다음_주부터 지금부터 이제부터 하도록 노리 하려고
            하려는 시도 계획 예정 의도 작정 틀렸 틀린 잘못 착각 오타 실수 정확히는 다시_말 말한_건 뜻은 아니라 바꿔 바꾸
            변경 교체 대체 전환 옮기 옮겨 취소하고 철회 무시 잊어 다시_생각 생각해_보니 생각해보니 생각이_바뀌 차라리
            고르 골랐 고를 채택 허가 계약 보장 기각 부결 메모 유의 로_하 로_해 라고_부르 라고_불러 라고_부릅 라고_합니다
            하기_위해 일부로 이름은 이름이""",
        state="""
            대기 보류 차단 막혀 진행_중 진행중 완료 끝났 끝난 취소 중단 연기 준비 시작 아직 현재 미정 미완 미해결 예정
            지연 늦어 만료 유효 무효 폐기 예약 매진 검토_중 검토중 처리_중 처리중 확인_중 실행_중 남은 당분간 임시 공개
            배포 동결 마감됨 사용_중지 활성""",
        outcome="""
            실패 오류 에러 성공 통과 해결 수정 고쳤 원인 결과 깨졌 작동 장애 안_됐 안됐 안_돼서 잘됐 잘_됐 못했 해냈
            달성 초과했 거부됐 문제 버그 예외 시간_초과 복구 복원 밝혀 드러 찾았 발견 개선 악화 빨라 느려 멈췄 고장 분실
            망가""",
        numbers="""
            두_개 세_개 네_개 다섯 여섯 일곱 여덟 아홉 수백 수천 월요일 화요일 수요일 목요일 금요일 스물 서른 마흔
            토요일 일요일 일월 이월 삼월 사월 오월 유월 칠월 팔월 구월 시월 절반 두_배 세_배 정오 자정 분기 두_명 세_명
            두_시 세_시 네_시 두_번 세_번""",
        units="""
            원 달러 유로 파운드 엔 위안 루블 루피 센트 초 분 시간 시 일 일간 주 주일 주간 개월 달 월 년 년간 퍼센트 프로
            그램 킬로 킬로그램 톤 킬로미터 미터 센티 밀리 리터 도 글자 자 단어 바이트 기가 메가 페이지 쪽 줄 개 명 사람
            건 번 회 장 권 대 부 석 인분 배 잔""",
        prohibition="""
            지_마 지마 지_말 마세요 말아 금지 안_됩니다 안_돼 안됩니다 안돼 읽기_전용 절대 마십시오 말_것 결코 허용되지
            허락_없이 허가_없이 승인_없이 동의_없이 무단 함부로 마음대로_하지 삼가 자제 불허 넘지_않 초과할_수_없
            건드리지 금물 안_되며 안_된다 안된다 안_되고""",
        obligation="""
            해야 어야 아야 반드시 꼭 항상 필수 필요 하여야 돼야 매번 언제나 의무 준수 엄수 잊지 늦어도 경우에만 할_것
            지켜야 지켜_주""",
        permission="""
            수_있 허용 허락 승인 해도_됩니다 해도_돼 도_돼 도_됩니다 도_좋 자유롭게 허가 문제없 문제_없 도_괜찮""",
    ),
)
"""All that we know. A sentence of another language stays."""

PLAN_STATES: Final[dict[str, str]] = {
    "pending": """
        pending todo to_do not_started queued planned ausstehend offen en_attente à_faire pendiente pendente da_fare
        in_attesa openstaand ожидает معلق लंबित 待办 待处理 未开始 未着手 保留中 대기""",
    "in_progress": """
        in_progress ongoing underway in_arbeit en_cours en_curso en_progreso em_andamento in_corso bezig в_работе
        в_процессе قيد_التنفيذ जारी 进行中 進行中 作業中 진행_중 진행중""",
    "blocked": """
        blocked blocks blocking blocker waiting waits wait_for awaiting awaits on_hold needs_approval held_up stuck
        paused blockiert wartet gesperrt bloqué* bloquead* bloccat* geblokkeerd wacht_op заблокирован* ждёт ждет
        محظور بانتظار ينتظر अवरुद्ध प्रतीक्षा 阻塞 受阻 被阻 等待 ブロック 承認待ち 待ち 차단 막혀""",
    "done": """
        done completed complete finished closed resolved merged deployed shipped released accomplished erledigt fertig
        abgeschlossen terminé* achevé* terminad* completad* concluíd* completat* terminat* finit* afgerond voltooid
        gedaan готово сделано завершен* завершён* مكتمل اكتمل انتهى पूरा पूर्ण समाप्त 完成 已结束 完了 終わった 済み
        완료 끝났 ✅ ☑ ✔""",
    "cancelled": """
        cancelled canceled abandoned dropped aborted withdrawn skipped abgebrochen storniert gestrichen annulé*
        cancelad*
        annullat* geannuleerd отменен* отменён* ملغى ملغاة रद्द 取消 中止 キャンセル 취소""",
}
"""The words of the five plan states in running text; single words of `core.plans` that are also plain
English (`open`, `active`, `running`, `started`) are left to the plan tool's own fields."""

MARKS: Final[dict[str, str]] = {
    "✅": "outcome",
    "☑": "outcome",
    "✔": "outcome",
    "❌": "negation",
    "✗": "negation",
    "✘": "negation",
    "🚫": "negation",
    "⛔": "negation",
    "⚠": "modality",
    "❗": "modality",
    "👍": "decision",
    "👎": "decision",
}
"""Signs that say what a word would."""

PRONOUNS_OF_REPORT: Final = _set("i we they these those who which that it he she why")
"""Before `do not` and `cannot` these make it a report (`I do not know`); anything else leaves it a prohibition."""

OTHER_NEGATION: Final = "inte aldrig ikke aldri nigdy nikdy asla değil jangan tidak bukan không đừng"
"""Denials of languages that have no table here."""

DENIERS: Final = """
    not no never none nobody neither nor dont cant cannot nicht nie niemals niemand kein* ne n' jamais aucun* nunca
    jamás nadie ningún ninguno ninguna não ninguém nenhum nenhuma non mai nessun* niet nooit niemand geen не ни никогда
    никто لا لم لن नहीं न ना मत nothing nichts niets rien nada nulla niente ничего"""
"""The words that deny a verb by themselves."""

CLAUSE_STARTERS: Final = _set("please and but so just also or then always bitte und aber y e o mais et ou pero mas svp")
"""Words that may stand before the verb of a command."""

NO_DUTY_AFTER_NOT: Final = frozenset(("need", "have", "hesitate", "worry", "mind", "bother"))
"""After `do not` these free somebody of a duty; `do not forget` makes one."""

STATE_DENIERS: Final = _set("not never nicht pas no non não niet не isn't aren't wasn't weren't longer hasn't yet")
"""Up to two words before a state's word they take it back."""

ABBREVIATIONS: Final = _set("""
    mr mrs ms dr prof sr jr st vs etc eg ie cf al approx ca incl excl resp dept govt corp inc ltd co assn univ est misc
    temp ext capt gen lt sgt rev hon mt ave blvd rd gmbh bzw usw ggf evtl inkl zzgl vgl bspw sog bzgl max min mind
    hrsg str tel geb zb dh ua uu mme mlle env ex sra dra ud uds pág págs núm aprox ej avda dott sig egr pag ecc es
    bijv nl blz mw dhr enz т д п др г ул рис стр см напр etal viz ibid op cit sec secs mins hrs fig figs eq eqs""")
"""A full stop after one of these ends no sentence."""

ABBREVIATIONS_BEFORE_NUMBER: Final = _set("""
    no nos nr art vol ch p pp s seite kap abs ziff tab bd jan feb mar apr jun jul aug sep sept oct nov dec n num nº""")
"""A full stop between one of these and a number ends no sentence; elsewhere some are words (`No.`)."""

ORDINAL_LEADS: Final = _set("am der die das dem den des im vom zum zur bis ab seit jeden jeder jedes")
"""After these a number with a full stop is an ordinal (`am 3. Mai`)."""

# What binds, what is told -----------------------------------------------------------------------

CURRENCY_SIGNS: Final = "$€£¥₹₽₩₺₪฿₫₴₦₱元円"
"""A number right before or after one of these is an amount."""

DEADLINE_LEADS: Final = _set("""
    by until till before bis spätestens vor avant d'ici jusqu'à jusqu'au hasta antes até entro fino voor tot uiterlijk
    до к قبل بحلول حتى""")
"""One of these right before a weekday or a month, an article aside, makes it a limit."""

ARTICLES: Final = _set("the this next end of dem den zum nächsten le la fin el del o a do da il la het de конца")
"""May stand between such a word and the day."""

BINDING_STEMS: Final = _set("""
    decid agre approv confirm accept chose choos settl promis commit consent sign authori reject refus veto switch
    replac renam assign own responsib call nam told ask request instruct warn meant wrong mistak correct instead
    prefer want wish hop aim goal target plan intend rule limit budget deadline allergic
    entschied entschloss beschloss vereinbar einig wähl genehmig bestätig freigegeb zugestimmt zugesagt versproch
    festgelegt ausgemacht abgemacht abgelehnt gebeten geeinig meinte gemeint geirrt irrt falsch korrig gehört zuständig
    verantwort genannt umbenannt hieß wollt wünsch bevorzug lieber ziel statt sondern
    décid choisi convenu approuv valid confirm accept refus promi demand dit voul tromp tort corrig chang
    adopt responsab appartenai appel nomm renomm préfér souhait objectif plutôt sign
    elig elegi acord acuerd aprob aprueb confirm acept rechaz prometi pedi dije queri querí quis equivoc confund cambi
    responsab encargad perteneci llam nombr prefer dese objetiv meta autoriz firm sino optó optamos
    escolh combin aprov aceit rejeit pedi disse enganei errei mudou mudei mudamos assin dono chamav pertenci
    decis scelt scegl conveni concord approv accett rifiut promess chiest detto sbagli corret corregg cambi responsabil
    apparten chiam nominat prefer volev vorr desider obiettiv scopo firmat
    beslis beslot besloot gekozen kozen koos kies akkoord goedgekeurd bevestig afgesproken beloof gevraagd gezegd bedoel
    vergis verkeerd gewijzigd verander eigenaar verantwoord genoemd heet heette wilde liever doel geweiger ondertek
    реши выбра соглас утверд одобр подтверд обеща договор проси попроси сказал ошиб перепут измени поменя отказ назнач
    ответств принадлеж владе называ назва хоте предпо цел подписа имел
""")
"""So begins a word that still binds when it is told of the past: who decided, agreed, asked, owned, meant."""

CORRECTION_OPENINGS: Final = (
    "actually", "sorry", "no,", "no.", "correction", "wait", "scratch that", "scrap that", "oops", "my mistake",
    "my bad",
    "on second thought", "rather,", "nein", "korrektur", "doch", "eigentlich", "non,", "en fait", "pardon",
    "erratum", "perdón", "en realidad", "mejor dicho", "corrección", "não,", "aliás", "na verdade", "desculpa",
    "correção", "anzi", "in realtà", "scusa", "correzione", "nee", "eigenlijk", "correctie", "нет,", "извини",
    "вообще-то", "на самом деле", "поправка",
)  # fmt: skip
"""A sentence that begins so takes something back, whatever its tense."""

TOLD: Final[dict[str, str]] = {
    "en": r"""
        \b(?:i|we|it|he|she|they|there|you|(?:my|our|his|her|their)\ \w+)
        (?:\ (?:just|also|even|never|always|really|almost|nearly|only|all|both|once|then|still|actually|finally|\w+ly))?
        \ (?:was|were|had|did|didn't|wasn't|weren't|hadn't|went|got|came|saw|ate|drank|slept|felt|thought|knew|took|
        gave|made|ran|sat|stood|met|left|found|heard|read|wrote|drove|flew|rode|woke|fell|grew|lost|won|spent|bought|
        brought|kept|told|said|began|broke|wore|sang|swam|forgot|understood|could|couldn't|would|used|
        (?!need|seed|feed|speed|exceed|proceed|succeed)\w{2,}ed)\b""",
    "de": r"""
        \b(?:ich|wir|er|sie|es|man)\ (?:\w+\ )?(?:war|waren|hatte|hatten|ging|gingen|kam|kamen|fuhr|fuhren|sah|sahen|
        aß|aßen|fand|fanden|gab|dachte|dachten|wusste|wussten|blieb|blieben|schlief|saß|saßen|lief|liefen|stand|
        regnete|schneite|lachte|lachten|fragte|fragten|machte|machten|kaufte|kauften|spielte|spielten|wanderte|
        wanderten|kochte|kochten|wohnte|\w{3,}(?<!soll)(?<!möch)(?<!könn)(?<!müss)(?<!dürf)te[nt]?)\b
        |\b(?:war|waren|hatte|hatten|ging|gingen|kam|kamen|fuhr|fuhren|sah|sahen|fand|blieb|saßen|lief|regnete|
        dachte|wusste|aß|aßen)\ (?:ich|wir|er|sie|es|man)\b
        |\b(?:(?:ich|wir)\ (?:hab|habe|haben|bin|sind)|(?:hab|habe|haben|bin|sind)\ (?:ich|wir))\b
        (?=.{0,120}\b\w{0,20}ge\w{2,30}(?:t|en)\b)""",
    "fr": r"""
        \b(?:j'|je\ |on\ |nous\ |il\ |elle\ |ils\ |elles\ |c'|tu\ |vous\ )(?:n'|ne\ |y\ |m'|me\ |se\ |s'|nous\ |l')?
        (?:étai(?:s|t|ent)|étions|av(?:ais|ait|ions|aient)|
        (?!fai[st]|sai[st]|vais|plai[st]|connais|pens)\w{2,}(?<!r)(?:ai[st]|aient)|
        (?:ai|a|ont|avons|as|avez)\ (?:\w+\ )?(?:\w{2,}é|pris|mis|vu|eu|fait|été|bu|lu|su|reçu|perdu|dormi|ri|
        couru|fini|attendu|entendu|senti|plu|mangé)|
        (?:suis|sommes|est|sont|êtes)\ (?:\w+\ )?(?:allé|parti|venu|arrivé|resté|rentré|sorti|tombé|passé|né)e?s?)\b
        """,
    "es": r"""
        \b(?:fui|fuimos|era|éramos|eran|estaba|estábamos|estaban|estuve|estuvimos|tenía|teníamos|tuve|tuvimos|hice|
        hicimos|hizo|vi|vimos|iba|íbamos|había|hacía|llovía|llovió|comí|comimos|bebí|salí|salimos|dormí|dormimos|
        perdí|perdimos|leí|volví|volvimos|fue|pasé|
        (?!caf|beb|porqu|tamb|aunqu|despu)\w{3,}(?<!r)é|\w{3,}ába(?:mos)|\w{3,}aba)\b""",
    "pt": r"""
        \b(?:fui|fomos|era|éramos|eram|estava|estávamos|estavam|estive|tinha|tínhamos|tive|tivemos|fiz|fizemos|vi|
        vimos|ia|íamos|havia|chovia|choveu|comi|comemos|bebi|saí|saímos|dormi|dormimos|perdi|perdemos|foi|
        (?!dir|far|ser|ter)\w{3,}(?<!r)ei|\w{3,}áva(?:mos)|\w{3,}ava)\b""",
    "it": r"""
        \b(?:(?:ho|abbiamo|ha|hanno)\ (?!bisogno)(?:\w+\ )?(?:\w{2,}(?:ato|uto|ito)|fatto|visto|preso|perso|letto|
        scritto|messo|corso|riso|scoperto|aperto)|
        (?:sono|siamo)\ (?:\w+\ )?(?:andat|stat|venut|arrivat|rimast|tornat|uscit|partit|entrat|cadut)[oaie]|
        ero|era|eravamo|erano|avevo|aveva|avevamo|stavo|stava|stavamo|faceva|facevo|facevamo|pioveva|
        \w{2,}(?:avo|evo|ivo|avamo|evamo|ivamo))\b""",
    "nl": r"""
        \b(?:ik|wij|we|hij|zij|ze|het)\ (?:\w+\ )?(?:was|waren|had|hadden|ging|gingen|kwam|kwamen|zag|zagen|at|aten|
        dacht|dachten|vond|vonden|sliep|liep|liepen|zat|zaten|stond|reed|reden|bleef|regende|lachte|lachten|kocht|
        kochten|speelde|wandelde|wandelden|kookte|vroeg|wist)\b
        |\b(?:was|waren|had|hadden|ging|gingen|kwam|zag|zat|liep|liepen|regende|dacht|vond)\ (?:ik|wij|we|hij|zij|het)\b
        |\b(?:(?:ik|we|wij)\ (?:heb|hebben|ben|zijn)|(?:heb|hebben|ben|zijn)\ (?:ik|we|wij))\b
        (?=.{0,120}\bge\w{2,30}(?:d|t|en)\b)""",
    "ru": r"""
        \b(?:я|мы|он|она|они)\ (?:\w+\ ){0,2}\w{1,}(?:л|ла|ли|лся|лась|лись)\b
        |\b(?:было|был|была|были|шёл|шел|шла|лил)\b""",
    "zh": r"(?:昨天|昨晚|前天|上周|上个月|去年|今早|刚才|那天|那时|小时候|当时|以前).{0,80}(?:了|过|的时候|着)",
    "ja": r"""
        (?:昨日|昨夜|一昨日|先週|先月|去年|今朝|この前|この間|先日|当時|昔|子供の頃)
        .{0,80}(?:た|だ)(?:よ|ね|が|けど|ので)?[。！!]?$""",
    "ko": r"(?:어제|그저께|어젯밤|지난주|지난달|작년|오늘\ 아침|그때|예전에).{0,80}[았었했였갔왔봤]\w{0,20}[.!]?$",
    "ar": r"(?:أمس|البارحة|الأسبوع\ الماضي|العام\ الماضي|الشهر\ الماضي|\bكنت|\bكنا)",
    "hi": r"(?:कल|पिछले|परसों|उस\ दिन).{0,120}(?:था|थे|थी|गए|गया|गई|देखा|खाया|की|किया|रहे\ थे)[।.]?$",
}
"""How a sentence tells what was: a person who speaks and a past form, in the order of the language (verbose `re`)."""

NOW: Final = _set("""
    am is are i'm we're you're they're it's that's there's he's she's what's has have i've we've will i'll we'll it'll
    won't can can't cannot must should may let's let please need needs want wants prefer prefers don't doesn't isn't
    aren't never always now use
    ist gilt bin muss müssen soll sollen sollte sollten darf dürfen kann kannst können will wollen möchte wird werden
    bitte braucht brauchen brauche gehört heißt liegt bleibt nie immer jetzt
    est doit dois devez devons faut peut peux pouvez veux voulons voudrais aimerais c'est s'appelle jamais toujours
    désormais sera
    es son está están debe deben hay puede puedes quiero queremos necesito tiene tienen nunca siempre ahora será
    é são deve devem pode podem quero queremos preciso tem têm sempre agora será
    è deve devono bisogna può puoi voglio vogliamo vorrei ha mai adesso sarà
    moet moeten mag mogen kan kunnen wil willen wordt blijft nooit altijd
    нужно надо можно нельзя должен должна должны хочу хотим есть будет пусть всегда никогда теперь
    يجب يمكن الآن أريد नहीं चाहिए है हैं""")
"""One of these says that something holds now: a sentence with one tells not only what was."""

# What a summarizer may not add or leave out --------------------------------------------------

APPROVALS: Final = _set("""
    approved approves approve consented consents consent agreed agrees agree authorized authorised authorizes authorises
    granted grants confirmed confirms permitted permits allowed allows allow accepted accepts signed lgtm cleared
    greenlit sanctioned genehmigt freigegeben erlaubt zugestimmt bestätigt approuvé approuvée validé validée autorisé
    autorisée accepté aprobado aprobada autorizado autorizada permitido confirmado aprovado aprovada approvato approvata
    autorizzato autorizzata goedgekeurd toegestaan одобрено одобрен одобрена разрешено разрешил согласовано""")
"""Word forms of consent: a line holds only those that its source holds, in that very form."""

APPROVAL_SIGNS: Final = (
    "go ahead",
    "green light",
    "sign-off",
    "批准",
    "同意",
    "許可",
    "承認",
    "승인",
    "허락",
    "موافق",
    "स्वीकृत",
)
"""The same, found anywhere."""

PERSONS: Final = _set("""
    user users human humans customer customers client clients operator owner benutzer nutzer anwender kunde utilisateur
    usuario usuário utente gebruiker пользователь""")
"""Who may have said something; a line names one only if the source is a person's, or names one too."""

CONDITIONS: Final = _set("""
    if unless until only except once provided almost nearly partly partially probably maybe perhaps possibly might could
    would should planned plans proposed proposes suggests suggested tried tries attempted attempts unable supposedly
    apparently allegedly hypothetically when before wenn falls sofern bis nur außer ausser vielleicht fast versuchte
    würde könnte sollte si sauf seulement jusqu peut-être presque salvo excepto solo hasta quizás casi se exceto até
    talvez quase tranne finché forse quasi als tenzij totdat alleen misschien bijna если пока только кроме может
    почти""")
"""What a statement hangs on; a line that rests on it keeps it."""

ACTS: Final = _set("""
    add apply change close commit copy create delete deploy destroy disable drop edit email enable erase execute export
    force grant import install kill merge migrate modify move open overwrite publish push raise release remove rename
    replace reset restart restore revert revoke roll rotate run send set shut start stop submit switch terminate touch
    transfer truncate uninstall update upgrade upload wipe write ran wrote sent began shipped""")
"""Verbs of consequence, by their stem: a line claims none that its source lacks."""

ACCESS: Final = _set("""
    root sudo admin administrator superuser owner write writable read-write rwx chmod public privileged unrestricted
    full-access superadmin""")
"""Words of access: a line holds only those that its source holds."""

IMPERATIVES: Final = _set("""
    add allow always answer apply approve be bypass call change check click commit continue copy create delete deploy
    disable disregard do download drop edit email enable ensure erase execute export follow forget give go grant ignore
    import install keep kill make merge migrate modify move never open output override overwrite please post print
    proceed publish push read remember remove rename replace reply reset respond restart reveal revert revoke rotate
    run save send set share skip start stop submit switch tell transfer treat truncate try update upgrade upload use
    verify visit wipe write""")
"""A line that begins with one of these tells somebody to do something."""

ORDERS: Final = (
    "you must", "you should", "you need to", "you have to", "you can now", "you may now", "you are now", "agent must",
    "agent should", "agent needs to", "agent has to", "assistant must", "assistant should", "ignore previous",
    "ignore all", "ignore the above", "disregard previous", "from now on", "your task", "next step", "next steps",
)  # fmt: skip
"""Words that address the agent."""

REPLY_OPENINGS: Final = (
    "sure", "certainly", "of course", "okay", "ok", "here is", "here's", "here are", "i'm sorry", "i am sorry", "sorry",
    "as an ai", "i cannot", "i can't", "i'd be happy", "i would be happy", "happy to", "let me know", "i hope",
    "thank you", "thanks", "you're welcome", "hello", "hi", "great question", "absolutely", "summary", "the following",
    "below is", "in summary", "i understand", "got it", "understood", "yes", "no problem",
    "natürlich", "gerne", "voici",
    "bien sûr", "claro", "aquí", "certo", "ecco", "natuurlijk", "конечно", "当然", "好的", "はい", "以下",
)  # fmt: skip
"""How an answer to a person begins."""

FIRST_PERSON: Final = _set(
    "i i'm i'll i've i'd we we'll we're we've let's ich wir je nous yo nosotros eu nós io noi ik wij я мы"
)
"""A line speaks of itself only where its source does."""

REPORTING: Final = _set("""
    agent assistant user asked wants want used using found result results reported noted said says stated states shows
    showed mentioned according source task step file called named""")
"""Words that a line may add: they say who reports, not what happened."""

PAST_FORMS: Final = _set("""
    ran made wrote read found set got built sent took kept put left saw began went gave knew held led lost met paid sold
    told thought brought bought caught chose drew fell felt hid hit let meant rose said sat shut spoke spent stood""")
"""Irregular verbs with which a statement without a subject begins (`Ran the tests`)."""
