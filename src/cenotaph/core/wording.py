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
    "CONDITIONS",
    "FIRST_PERSON",
    "IMPERATIVES",
    "ORDERS",
    "PAST_FORMS",
    "PERSONS",
    "REPLY_OPENINGS",
    "REPORTING",
    "ABBREVIATIONS",
    "ABBREVIATIONS_BEFORE_NUMBER",
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
    "Language",
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
        decision: Choices, corrections, consent, commitments, goals.
        state: How far a thing is.
        outcome: How an attempt ended.
        numbers: Number words, from two on.
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
            the a an and or but if then than that this these those there here it its it's i i'm i've you your yours
            he she him her his we us our they them their me my mine who whom whose what which when where why how
            is are was were be been being am do does did doing has have had having of to in on at by for from with
            about into over under after before between through during up down out off again once very just so too also
            as while because since until although though even still yet already soon now later today yesterday
            tomorrow some any each every all both few more most other another such own same much many lot
            get got go goes went come came let lets let's make made see saw look looks looked know knew think thought
            say said tell told give gave take took thing things way well good great nice fine okay ok thanks thank
            hello hi hey bye sorry please sure yes yeah yep no not really maybe perhaps anyway actually basically
            one first last next new old would will can could should may might must that's there's here's what's let's
            he's she's we're you're they're i'd i'll we'll you'll don't doesn't isn't like """,
        negation="""
            no not never none nobody nothing nowhere neither nor without cannot dont doesnt didnt cant wont shouldnt
            mustnt isnt arent wasnt couldnt wouldnt avoid* prohibit* forbid* forbade ban bans banned disallow* refus*
            deny denies denied refrain* stop stops except unless exclud* exclusion exempt* off_limits hands_off
            keep_out stay_away stay_off leave_alone hold_off read_only readonly untouched unchanged frozen freeze
            instead rather_than out_of_scope won't can't don't lacks lacking missing nope nah hardly
            barely no_longer ignore skip omit omits omitted""",
        modality="""
            must shall should ought need needs needed require requires required requirement* mandatory obligat* oblig*
            have_to has_to had_to may might allow* permit* permission* only always ensure* make_sure be_sure
            supposed_to can could critical crucial essential important imperative strictly exclusively at_least
            at_most no_more_than up_to maximum minimum max min limit* cap capped ceiling threshold budget* quota*
            deadline due policy policies rule rules constraint* guarantee* compulsory""",
        preference="""
            prefer* like_to rather want wants wanted wish wishes favor favour favorite favourite love loves hate hates
            dislike* please ideally better_if nice_to_have would_like i'd_like i_like we_like i_don't_like fond
            opt_for lean_towards leaning happier keen taste style""",
        decision="""
            decid* decision* chose choose chosen choosing choice agree* approv* confirm* consent* accept* reject*
            go_ahead go_with going_with went_with stick_to stick_with settle* yes yep yeah lgtm sounds_good do_it
            ship_it correction* scratch_that changed_my_mind change_my_mind i_meant actually instead rather switch*
            use uses keep keeps will i'll we'll going_to goal* aim* objective* purpose target* plan_is plan_to
            priorit* promise* commit_to committed assume* assuming remember note from_now_on as_of conclu*
            resolve_to make_it final intend* intention authoriz* authoris* sign_off signed_off mandate* proceed*
            hold_on wait forget revert* undo instead_of let's_use let's_go supersede* overrul* veto* scope""",
        state="""
            pending blocked blocking waiting awaiting awaits wait_for done finished complete completed cancelled
            canceled in_progress ongoing started running paused suspended on_hold open closed ready deployed merged
            released shipped scheduled postponed deferred skipped todo to_do wip live active inactive enabled disabled
            currently remaining remains unfinished incomplete queued stalled archived deprecated queued draft
            unresolved outstanding still stuck""",
        outcome="""
            fail fails failed failing failure* error* crash* broke broken breaks works worked working pass passes passed
            passing succeed* success* fixed fixes fix resolved solved turned_out turns_out caused causes cause bug bugs
            regression* timeout* timed_out denied green red result* found exception* outage incident corrupt* lost
            leak* leaked exited exit wrong unable tried attempt* verified proved root_cause reproduc* rolled_back""",
        numbers="""
            two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
            eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands
            million millions billion percent dozen twice half monday tuesday wednesday thursday friday saturday sunday
            january february march april june july august september october november december midnight noon quarter""",
        prohibition="""
            must_not mustn't mustnt shall_not shan't should_not shouldn't shouldnt may_not not_allowed not_permitted
            never off_limits hands_off forbid* forbade prohibit* banned disallow* avoid* refrain* keep_out stay_away
            stay_off leave_alone read_only readonly no_changes no_change no_modifications no_writes no_one_may
            nobody_may no_permission not_authorized not_authorised ought_not need_not_touch without_touching
            without_changing without_modifying without_asking without_approval out_of_scope stop hold_off
            cannot_be_changed cannot_be_modified can_not_be not_to frozen freeze""",
        obligation="""
            must shall should ought required requires require mandatory need_to needs_to have_to has_to had_to always
            ensure make_sure be_sure only strictly supposed_to obligat* compulsory""",
        permission="""
            may can could allowed allows permitted permits permission free_to feel_free optional optionally approved
            approves go_ahead ok_to okay_to fine_to welcome_to authorized authorised cleared_to consent* granted""",
    ),
    Language(
        code="de",
        common="""
            der die das den dem des ein eine einen einem einer eines und oder aber wenn dann als dass ob weil denn
            ich du er sie es wir ihr mich dich uns euch ihm ihn ihnen mein meine dein deine sein seine unser unsere
            ist sind war waren bin bist wird werden wurde wurden hat haben hatte hatten habe von zu im in am an auf
            aus bei mit nach vor für über unter um durch bis seit zwischen gegen auch noch schon nur sehr mal doch ja
            so wie was wer wo wann warum hier da dort jetzt heute gestern morgen dann immer alle alles viel mehr
            man sich diese dieser dieses jede jeder gut danke bitte hallo gern gerne okay also eben halt zum zur vom
            beim ins nicht kein keine damit dazu daran davon""",
        negation="""
            nicht nichts nie niemals niemand kein* ohne weder außer ausser verbot* verbiet* untersag* vermeid*
            unterlass* ausgeschlossen ausgenommen statt stattdessen nirgends keinesfalls auf_keinen_fall tabu
            schreibgeschützt finger_weg nein unverändert""",
        modality="""
            muss musst müssen müsst musste soll sollen sollte sollten sollst darf darfst dürfen kann können könnte
            könnten brauche brauchen braucht benötig* erforderlich notwendig nötig zwingend pflicht unbedingt immer
            erlaub* gestatt* zulässig höchstens mindestens maximal minimal grenze limit* obergrenze frist budget*
            vorgabe* regel regeln wichtig ausschließlich sicherstellen zwingend nur""",
        preference="""
            lieber bevorzug* möchte möchten möchtest will wollen wünsch* gern gerne am_liebsten mag bitte hätte_gern
            favorit* wäre_schön besser""",
        decision="""
            entschied* entscheid* entschluss beschluss beschlossen beschließ* wähl* gewählt einverstanden genehmig*
            bestätig* zustimm* zugestimmt freigabe freigegeben abgelehnt ablehn* korrektur doch_nicht vielmehr
            stattdessen ziel* zweck plane geplant wir_nehmen nimm nehmt benutze verwende verwenden nutze ab_jetzt
            ab_sofort mach_das los_geht's ja vorrang priorität* vereinbart merk_dir""",
        state="""
            offen ausstehend blockiert wartet warten erledigt fertig abgeschlossen abgebrochen gestoppt läuft laufend
            begonnen gestartet pausiert verschoben bereit aktiv inaktiv deployt gemerged veröffentlicht noch_nicht
            in_arbeit gesperrt zurückgestellt aktuell storniert""",
        outcome="""
            fehler* fehlgeschlagen scheiter* gescheitert abgestürzt absturz kaputt funktioniert geklappt klappt erfolg*
            gelungen gelöst behoben ursache ergebnis* bestanden rot grün herausgestellt geht_nicht verloren
            ausgefallen ausfall""",
        numbers="""
            zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig sechzig siebzig
            achtzig neunzig hundert tausend million millionen prozent dutzend montag dienstag mittwoch donnerstag
            freitag samstag sonntag januar februar märz april juni juli august september oktober november dezember""",
        prohibition="""
            darf_nicht dürfen_nicht darfst_nicht niemals nie verboten verbiet* untersag* tabu vermeid* unterlass*
            auf_keinen_fall keinesfalls bitte_nicht finger_weg darf_niemand soll_nicht sollen_nicht darf_kein*
            schreibgeschützt keine_änderungen keine_änderung""",
        obligation="muss müssen musst soll sollen sollte erforderlich notwendig zwingend pflicht unbedingt immer",
        permission="darf dürfen darfst kann können erlaubt gestattet zulässig freigegeben genehmigt",
        innocent="mai",
    ),
    Language(
        code="fr",
        common="""
            le la les un une des du de et ou mais si que qui quoi dont où quand comment pourquoi je tu il elle on nous
            vous ils elles me te se lui leur mon ma mes ton ta tes son sa ses notre nos votre vos leurs ce cet cette
            ces c'est est sont était étaient suis es êtes être a ai as avons avez ont avait avoir à au aux en dans sur
            sous par pour avec chez vers depuis entre comme aussi très bien plus moins tout tous toute toutes encore
            déjà alors donc car puis ici là maintenant aujourd'hui hier demain oui merci bonjour salut d'accord bon
            fait faire peu trop même autre autres y ça cela j'ai l' d' c' j' qu' s' n' m' t' il_y_a ne pas""",
        negation="""
            ne n' pas jamais rien personne aucun* sans ni sauf interdi* proscri* évite éviter évitez refus* défend*
            exclu* plutôt_que au_lieu_de hors_de_question hors_périmètre lecture_seule non""",
        modality="""
            doit dois devons devez doivent devrait devrais devraient faut faudra faudrait peut peux peuvent pouvez
            pourrait obligatoire* obligé* nécessaire* requis* besoin toujours seulement uniquement permis autoris*
            maximum minimum limite* plafond budget* délai échéance règle* important* impérati* s'assurer
            assure-toi veille* au_moins au_plus exiger exige""",
        preference="""
            préfèr* préfér* aimerais aimerait voudrais voudrait veux veut souhait* voulons plutôt s'il_te_plaît
            s'il_vous_plaît mieux idéalement j'aime déteste*""",
        decision="""
            décid* décision* choisi* choix d'accord accord approuv* confirm* accept* rejet* correction* finalement
            en_fait plutôt but objectif* cible utilis* garde* gardons vas-y allez-y désormais dorénavant priorit*
            valid* oui retenu* on_prend compte_tenu rectifi*""",
        state="""
            en_attente bloqué* en_cours terminé* fini* achevé* annulé* suspendu* reporté* prêt* actif* déployé*
            fusionné* démarré* commencé* ouvert* fermé* actuellement à_faire""",
        outcome="""
            échec* échou* erreur* planté* cassé* marche fonctionne* réussi* résolu* corrigé* cause* résultat* succès
            bogue* panne* perdu*""",
        numbers="""
            deux trois quatre cinq sept huit neuf dix onze douze quinze vingt trente quarante cinquante soixante cent
            cents mille million millions pourcent lundi mardi mercredi jeudi vendredi samedi dimanche janvier février
            mars avril juin juillet août septembre octobre novembre décembre""",
        prohibition="""
            interdi* proscri* jamais ne_doit_pas ne_doivent_pas ne_dois_pas ne_devez_pas ne_peut_pas il_ne_faut_pas
            défense_de évite évitez éviter lecture_seule sans_toucher sans_modifier hors_de_question surtout_pas""",
        obligation="doit dois devez doivent devrait faut obligatoire* nécessaire* impérati* toujours requis*",
        permission="peut peux peuvent pouvez permis autoris* libre_de feu_vert",
        innocent="mai",
    ),
    Language(
        code="es",
        common="""
            el la los las un una unos unas y o u pero si que qué quien quién cual cuando cuándo donde dónde cómo como
            porque yo tú él ella nosotros ustedes ellos ellas me te se nos le les lo mi mis tu tus su sus nuestro
            nuestra este esta esto estos estas ese esa eso es son era eran soy eres somos está están estoy estaba fue
            ha he han hay había ser estar de del a al en con por para sin sobre entre hasta desde hacia muy más menos
            también ya aún todavía todo toda todos todas mucho muchos bien bueno gracias hola sí vale claro ahora hoy
            ayer mañana aquí allí entonces pues solo sólo otro otra otros algo no""",
        negation="""
            no nunca jamás nada nadie ningún ninguno ninguna sin ni tampoco excepto salvo prohib* evita evitar eviten
            evites rechaz* niega excluy* exclu* en_vez_de en_lugar_de solo_lectura fuera_de_alcance""",
        modality="""
            debe debes deben debemos debería deberían deberías hay_que tiene_que tienen_que tienes_que tengo_que
            necesit* obligatori* requier* requerid* siempre solo sólo solamente únicamente puede puedes pueden podría
            permit* permiso máximo mínimo límite* tope presupuesto* plazo regla* importante* imprescindible
            asegúrate asegur* como_máximo al_menos""",
        preference="""
            prefier* prefer* quiero quiere queremos quisiera gustaría me_gusta mejor por_favor desear* deseo ojalá
            idealmente odio""",
        decision="""
            decid* decisión decision* eleg* elij* escog* de_acuerdo acuerdo aprob* aprueb* confirm* acept* rechaz*
            corrección correccion* en_realidad objetivo* meta usa usar usemos usaremos utiliz* mantén mantener
            adelante a_partir_de_ahora priorid* sí finalmente mejor_dicho recuerda autoriz*""",
        state="""
            pendiente* bloquead* en_curso en_progreso terminad* completad* acabad* cancelad* pausad* suspendid*
            esperando espera listo lista desplegad* abiert* cerrad* iniciad* activ* actualmente aplazad*""",
        outcome="""
            falló falla fallo fallos fallan fallaron error* éxito funciona funcionó roto rota resuelt* solucion*
            arregl* causa resultado* pasó pasaron caíd* perdid*""",
        numbers="""
            dos tres cuatro cinco seis siete ocho nueve diez once doce quince veinte treinta cuarenta cincuenta sesenta
            cien ciento mil millón millones lunes martes miércoles jueves viernes sábado domingo enero febrero marzo
            abril mayo junio julio agosto septiembre octubre noviembre diciembre""",
        prohibition="""
            prohib* nunca jamás no_debe no_debes no_deben no_puede no_puedes no_pueden no_se_debe no_se_puede no_hay_que
            evita evitar eviten solo_lectura bajo_ningún_concepto sin_tocar sin_modificar""",
        obligation="debe debes deben debería hay_que tiene_que tienes_que obligatori* siempre imprescindible",
        permission="puede puedes pueden permitid* autorizad* adelante libre_de",
    ),
    Language(
        code="pt",
        common="""
            o a os as um uma uns umas e ou mas se que quem qual quando onde como porque eu tu você ele ela nós vocês
            eles elas me te se nos lhe meu minha meus minhas teu seu sua seus suas nosso nossa este esta isto esse essa
            isso aquele é são era eram sou somos está estão estou estava foi tem têm tinha ser estar de do da dos das
            em no na nos nas ao à aos às com por pelo pela para sobre entre até desde muito mais menos também já ainda
            tudo todo toda todos todas bem bom obrigado obrigada olá oi sim agora hoje ontem amanhã aqui ali então só
            outro outra algo não""",
        negation="""
            não nunca jamais nada ninguém nenhum nenhuma sem nem tampouco exceto salvo proíb* proib* evite evitar
            recus* neg* em_vez_de ao_invés_de somente_leitura fora_do_escopo""",
        modality="""
            deve deves devem devemos deveria deveriam precis* tem_que tem_de têm_que obrigatóri* necessári* requer
            sempre só somente apenas pode podes podem poderia permit* permissão máximo mínimo limite* teto orçamento*
            prazo regra* importante* certifique* garant* no_máximo pelo_menos""",
        preference="""
            prefir* prefer* quero quer queremos gostaria gosto melhor por_favor desejo idealmente odeio""",
        decision="""
            decid* decisão escolh* concord* acordo aprov* confirm* aceit* rejeit* correção na_verdade objetivo* meta use
            usar usaremos vamos_usar manter mantenha prossiga pode_seguir a_partir_de_agora priorid* sim lembre*
            autoriz*""",
        state="""
            pendente* bloquead* em_andamento em_progresso terminad* concluíd* completad* cancelad* pausad* suspens*
            aguardando esperando pronto pronta implantad* abert* fechad* iniciad* ativ* atualmente adiad*""",
        outcome="""
            falhou falha falhas falharam erro erros sucesso funciona funcionou quebrad* resolvid* corrigid* causa
            resultado* passou passaram perdid*""",
        numbers="""
            dois duas três quatro cinco seis sete oito nove dez onze doze quinze vinte trinta quarenta cinquenta cem
            cento mil milhão milhões segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo
            janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro""",
        prohibition="""
            proíb* proib* nunca jamais não_deve não_deves não_devem não_pode não_podes não_podem não_se_deve evite
            evitar somente_leitura de_jeito_nenhum sem_tocar sem_alterar""",
        obligation="deve devem deveria precisa tem_que obrigatóri* necessári* sempre",
        permission="pode podem podes permitid* autorizad* livre_para",
        innocent="no nos",
    ),
    Language(
        code="it",
        common="""
            il lo la i gli le un uno una e ed o ma se che chi cosa quale quando dove come perché io tu lui lei noi voi
            loro mi ti si ci vi ne mio mia miei tuo tua suo sua nostro nostra questo questa questi queste quello quella
            è sono era erano sei siamo sta stanno ha ho hanno abbiamo aveva essere avere di del della dei delle degli
            dello a al alla ai alle allo in nel nella nei nelle su sul sulla con per da dal dalla tra fra molto più meno
            anche già ancora tutto tutta tutti tutte bene buono grazie ciao sì ora oggi ieri domani qui lì allora poi
            solo altro altra qualcosa dell' dall' all' nell' sull' l' un' c'è d' non""",
        negation="""
            non mai niente nulla nessun* senza né neanche nemmeno tranne eccetto salvo viet* proib* evita evitare
            evitate rifiut* nega* esclu* invece_di anziché sola_lettura fuori_ambito""",
        modality="""
            deve devi devono dobbiamo dovete dovrebbe dovrebbero bisogna occorre serve obbligatori* necessari* richied*
            richiest* sempre soltanto solamente può puoi possono potete potrebbe permess* permesso massimo minimo
            limite*
            tetto budget* scadenza regola* important* assicurati assicur* al_massimo almeno""",
        preference="""
            prefer* vorrei vorremmo voglio vuole vogliamo piacerebbe mi_piace meglio per_favore desider* idealmente
            odio""",
        decision="""
            decis* decid* scelt* scegli* d'accordo accordo approv* conferm* accett* rifiut* correzione in_realtà
            obiettiv* scopo usa usare usiamo useremo utilizz* mantieni mantenere procedi vai_pure d'ora_in_poi
            priorit* sì ricord* autorizz*""",
        state="""
            in_attesa bloccat* in_corso terminat* completat* finit* annullat* sospes* rinviat* pront* rilasciat*
            apert* chius* avviat* iniziat* attiv* attualmente da_fare""",
        outcome="""
            fallit* fallisc* errore errori successo funziona funzionato rotto rotta risolt* corrett* causa risultat*
            passat* riuscit* perso persi crashat*""",
        numbers="""
            due tre quattro cinque sei sette otto nove dieci undici dodici quindici venti trenta quaranta cinquanta
            cento mille mila milione milioni lunedì martedì mercoledì giovedì venerdì sabato domenica gennaio febbraio
            marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre""",
        prohibition="""
            viet* proib* mai non_deve non_devi non_devono non_si_deve non_può non_puoi non_possono non_si_può evita
            evitare sola_lettura per_nessun_motivo senza_toccare senza_modificare""",
        obligation="deve devi devono dovrebbe bisogna obbligatori* necessari* sempre",
        permission="può puoi possono permess* autorizzat* libero_di",
        innocent="ne",
    ),
    Language(
        code="nl",
        common="""
            de het een en of maar als dan dat die dit deze er ik je jij hij zij ze wij we jullie u mij me mijn jouw zijn
            haar ons onze hun hen is zijn was waren ben bent wordt worden werd heeft heb hebben had van naar in op aan
            bij met voor over onder uit door om te tot sinds tussen ook nog al wel zeer heel zo hoe wat wie waar wanneer
            waarom hier daar nu vandaag gisteren morgen altijd alles alle veel meer goed dank bedankt hallo hoi graag
            ja oké eens even gewoon toch niet geen""",
        negation="""
            niet niets nooit niemand geen zonder noch behalve verbod* verbied* verboden vermijd* weiger* uitgezonderd
            in_plaats_van alleen_lezen nergens buiten_scope nee""",
        modality="""
            moet moeten moest mag mogen kan kunnen kon zou zouden hoeft hoeven verplicht* vereist* nodig noodzakelijk
            altijd alleen uitsluitend toegestaan maximum maximaal minimaal limiet* grens budget* termijn regel regels
            belangrijk* zorg_dat zorg_ervoor hoogstens minstens""",
        preference="liever voorkeur* wil willen wilt graag alsjeblieft alstublieft beter zou_graag",
        decision="""
            beslo* beslis* besluit* gekozen kies kiezen keuze akkoord goedgekeurd goedkeur* bevestig* correctie
            eigenlijk
            doel* gebruik gebruiken houd ga_door ga_je_gang voortaan vanaf_nu prioriteit* ja afgesproken onthoud""",
        state="""
            openstaand in_behandeling geblokkeerd wacht wachten klaar gedaan afgerond voltooid geannuleerd gestart
            bezig gepauzeerd uitgesteld actief gereed gesloten nog_niet momenteel""",
        outcome="""
            mislukt* fout fouten gefaald gecrasht kapot werkt werkte gelukt opgelost oorzaak resultaat resultaten
            geslaagd succes* verloren storing""",
        numbers="""
            twee drie vier vijf zes zeven acht negen tien elf twaalf twintig dertig veertig vijftig honderd duizend
            miljoen procent maandag dinsdag woensdag donderdag vrijdag zaterdag zondag januari februari maart april
            juni juli augustus september oktober november december""",
        prohibition="""
            mag_niet mogen_niet moet_niet verboden verbied* nooit niet_toegestaan vermijd* afblijven blijf_af
            alleen_lezen in_geen_geval mag_geen zonder_te""",
        obligation="moet moeten verplicht* vereist* noodzakelijk altijd",
        permission="mag mogen kan kunnen toegestaan goedgekeurd",
    ),
    Language(
        code="ru",
        common="""
            и в во на с со к ко о об от до из за по под при для без через между у а но или если то что чтобы как так
            где когда почему кто какой какая это этот эта эти тот та те я ты он она мы вы они меня тебя его её нас вас
            их мне тебе ему ей нам вам им мой моя мои твой наш наша ваш свой был была было были есть будет буду быть
            уже ещё еще тоже также очень только все всё весь вся сейчас сегодня вчера завтра здесь там тут потом потому
            да хорошо спасибо привет пожалуйста ладно ну вот же бы ли можно не нет""",
        negation="""
            не нет ни никогда никто ничего нигде никак нельзя без кроме запрещ* запрет* избега* отказ* вместо исключ*
            только_чтение""",
        modality="""
            долж* нужно надо следует обязательно обязан* необходимо необходим* требу* можно нельзя может можешь могут
            можете всегда только разреш* допуска* максимум минимум лимит* предел* бюджет* срок* правил* важно
            убедись убедитесь не_более не_менее""",
        preference="предпоч* хочу хочет хотим хотел* хотелось лучше пожалуйста желательно нравится люблю",
        decision="""
            реши* решен* выбра* выбира* согласен согласна согласны соглас* одобр* подтвер* приня* отклон* исправл*
            на_самом_деле цель цели используй* использовать используем оставь* давай давайте впредь отныне приорит* да
            утверд* запомни*""",
        state="""
            ожида* ждёт ждет заблокирован* в_работе в_процессе готово готов готова готовы сделано сделан* завершен*
            завершён* заверши* закончен* отменен* отменён* приостановл* отложен* начат* запущен* открыт* закрыт*
            активн* сейчас""",
        outcome="""
            ошибк* сбой упал упала упали слома* сломан* работает заработа* получилось удалось успех* успешно решено
            исправлен* причин* результат* провал* потерян*""",
        numbers="""
            два две три четыре пять шесть семь восемь девять десять двадцать тридцать сорок пятьдесят сто тысяч*
            миллион* процент* понедельник* вторник* среду среда четверг* пятниц* суббот* воскресень* январ* феврал*
            март* апрел* май мая июн* июл* август* сентябр* октябр* ноябр* декабр*""",
        prohibition="""
            нельзя запрещ* запрет* никогда не_должен не_должна не_должны не_следует не_нужно не_надо не_трога*
            не_меня* не_изменя* избега* ни_в_коем_случае только_чтение""",
        obligation="долж* нужно надо следует обязательно обязан* необходимо всегда",
        permission="можно может можешь можете разреш* допуска* одобрен*",
    ),
    Language(
        code="ar",
        common="""
            في من إلى الى على عن مع هذا هذه ذلك تلك الذي التي هو هي هم نحن أنا انا أنت انت ما ماذا متى أين كيف لماذا كان
            كانت يكون قد لقد ثم أو او إذا اذا أن ان إن كل بعض بعد قبل عند حتى هنا هناك الآن اليوم أمس غدا جدا أيضا شكرا
            مرحبا نعم و لا لم لن""",
        negation="لا لم لن ليس ليست غير بدون دون ممنوع محظور يمنع تجنب أبدا ابدا رفض باستثناء إلا الا عدم بدلا",
        modality="""
            يجب ينبغي لازم ضروري مطلوب يلزم يمكن يمكنك يجوز مسموح دائما فقط الحد حد أقصى اقصى أدنى ميزانية موعد قاعدة
            مهم تأكد""",
        preference="أفضل افضل أريد اريد نريد أود رجاء لو_سمحت من_فضلك أحب أكره",
        decision="""
            قرر قررت قررنا قرار اخترت اخترنا اختيار موافق وافق وافقت موافقة أكد تصحيح هدف الهدف استخدم نعم تفضل
            أولوية""",
        state="""
            معلق معلقة محظور متوقف انتظار ينتظر بانتظار جاري قيد تم مكتمل اكتمل انتهى ملغى ملغاة ألغي جاهز مفتوح
            مغلق""",
        outcome="فشل فشلت خطأ أخطاء نجح نجحت نجاح تعطل سبب نتيجة تعمل يعمل حل",
        numbers="""
            اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة عشرون مئة مائة ألف مليون الاثنين الثلاثاء الأربعاء
            الخميس الجمعة""",
        prohibition="لا_يجوز لا_يجب لا_تقم لا_تعدل لا_تغير لا_تلمس ممنوع محظور يمنع تجنب أبدا ابدا",
        obligation="يجب ينبغي لازم ضروري مطلوب دائما",
        permission="يمكن يمكنك يجوز مسموح موافق",
    ),
    Language(
        code="hi",
        common="""
            है हैं था थी थे हूँ हूं हो का की के को में से पर और या लेकिन अगर तो कि यह वह ये वे मैं हम तुम आप मेरा मेरी
            हमारा आपका क्या कौन कब कहाँ क्यों कैसे ने भी ही तक लिए साथ बाद पहले अब आज कल यहाँ वहाँ बहुत कुछ सब अच्छा
            धन्यवाद नमस्ते हाँ जी नहीं""",
        negation="नहीं न ना मत कभी_नहीं बिना सिवाय मना निषिद्ध वर्जित बजाय छोड़कर",
        modality="""
            चाहिए ज़रूरी जरूरी आवश्यक अनिवार्य पड़ेगा होगा सकते सकता सकती अनुमति हमेशा केवल सिर्फ अधिकतम न्यूनतम
            सीमा बजट नियम""",
        preference="पसंद चाहता चाहती चाहते बेहतर कृपया",
        decision="""
            फैसला निर्णय चुना तय सहमत मंज़ूर मंजूर स्वीकृत स्वीकार पुष्टि सुधार लक्ष्य उद्देश्य इस्तेमाल उपयोग हाँ""",
        state="लंबित अवरुद्ध रुका प्रतीक्षा जारी पूरा पूर्ण समाप्त रद्द तैयार शुरू चालू बंद",
        outcome="विफल असफल त्रुटि गलती सफल ठीक कारण परिणाम टूटा",
        numbers="""
            दो तीन चार पाँच पांच छह सात आठ नौ दस बीस पचास सौ हज़ार हजार लाख करोड़ प्रतिशत सोमवार मंगलवार बुधवार
            गुरुवार शुक्रवार""",
        prohibition="मत कभी_नहीं नहीं_करना नहीं_करें न_करें ना_करें मना निषिद्ध वर्जित नहीं_चाहिए",
        obligation="चाहिए ज़रूरी जरूरी आवश्यक अनिवार्य हमेशा",
        permission="सकते सकता सकती अनुमति स्वीकृत",
    ),
    Language(
        code="zh",
        spaced=False,
        common="""
            的 了 是 在 有 我 你 您 他 她 它 们 这 那 个 和 与 就 都 也 很 会 要 说 去 来 把 被 对 从 到 吗 呢 吧 啊
            好 谢 请 什么 怎么 一""",
        negation="不 没 无 非 别 勿 禁止 严禁 避免 除了 除非 未 拒绝 而不是 莫 否",
        modality="""
            必须 应该 应当 需要 可以 能够 不能 只能 允许 许可 要求 务必 一定 总是 始终 只 仅 最多 最少 至少 不超过
            上限 下限 限制 预算 截止 规则 重要 确保 保证""",
        preference="喜欢 偏好 希望 想 宁 最好 讨厌 请",
        decision="""
            决定 选择 选 同意 批准 确认 接受 更正 其实 改成 改为 改用 目标 使用 采用 保留 继续 从现在起 以后 优先
            记住 授权 是的 好的""",
        state="等待 待办 待处理 阻塞 受阻 进行中 正在 完成 已 结束 取消 暂停 推迟 就绪 开始 关闭 打开 尚未",
        outcome="失败 错误 报错 崩溃 成功 通过 解决 修复 原因 结果 坏 发现 丢失 故障",
        numbers="二 两 三 四 五 六 七 八 九 十 百 千 万 亿 周一 周二 周三 周四 周五 星期",
        prohibition="不要 不得 不能 不可 不许 不准 不应 禁止 严禁 请勿 切勿 勿 别 绝不 避免 只读",
        obligation="必须 应该 应当 需要 务必 一定要 始终 总是",
        permission="可以 允许 许可 批准 同意",
    ),
    Language(
        code="ja",
        spaced=False,
        common="""
            の は が を に で と も へ から まで より です ます だ した して いる ある この その あの これ それ ね
            よ か ありがとう はい""",
        negation="ない ません なく なし ず ぬ 不 無 未 非 禁止 厳禁 避け やめ 除く 除い 除外 以外 代わりに せずに",
        modality="""
            べき 必要 必ず なければ ねば てもよい ていい できる 可能 許可 常に のみ だけ 以上 以下 以内 最大 最小
            上限 下限 制限 予算 期限 規則 ルール 重要 絶対 必須""",
        preference="好 たい 欲しい ほしい 希望 ください 方がいい ほうがいい 嫌 お願い なるべく できれば",
        decision="""
            決め 決定 選 同意 承認 確認 了解 訂正 実は 目的 目標 使う 使っ 使用 使わ 採用 変更 続け 進め 今後
            これから 優先 はい 覚え""",
        state="""
            保留 待ち 待って ブロック 進行中 作業中 完了 終わ 済 中止 キャンセル 停止 延期 準備 開始 まだ 現在
            未着手""",
        outcome="失敗 エラー 落ち 成功 合格 解決 修正 直し 直っ 原因 結果 壊 動い 動か 障害",
        numbers="二 三 四 五 六 七 八 九 十 百 千 万 億 月曜 火曜 水曜 木曜 金曜",
        prohibition="""
            ないで てはいけ ではいけ てはなら ちゃだめ 禁止 厳禁 べきではな べからず しないこと やめて 避け 触らない
            読み取り専用 絶対に""",
        obligation="べき 必要 必ず なければ 常に 必須",
        permission="てもよい ていい できる 許可 承認 構いません かまいません",
    ),
    Language(
        code="ko",
        spaced=False,
        common="이 가 은 는 을 를 에 의 도 로 와 과 하고 그리고 그 저 것 수 다 요 니다 네 안녕 감사 고마",
        negation="않 안_ 못 없 말아 마세요 지_마 지_말 금지 제외 불가 아니 피하 대신 말고",
        modality="""
            해야 어야 아야 야_합니다 필요 반드시 꼭 항상 수_있 가능 허용 허락 만_ 이상 이하 최대 최소 상한 제한 예산
            마감 규칙 중요 필수""",
        preference="좋아 선호 싶 원하 원해 싫 주세요 바랍니다 가급적 되도록",
        decision="결정 선택 동의 승인 확인 수락 정정 사실 목표 목적 사용 쓰 유지 진행 앞으로 우선 기억 네",
        state="대기 보류 차단 막혀 진행_중 진행중 완료 끝났 끝난 취소 중단 연기 준비 시작 아직 현재",
        outcome="실패 오류 에러 성공 통과 해결 수정 고쳤 원인 결과 깨졌 작동 장애",
        numbers="두_개 세_개 네_개 다섯 여섯 일곱 여덟 아홉 수백 수천 월요일 화요일 수요일 목요일 금요일",
        prohibition="지_마 지마 지_말 마세요 말아 금지 안_됩니다 안_돼 안됩니다 안돼 읽기_전용 절대",
        obligation="해야 어야 아야 반드시 꼭 항상 필수 필요",
        permission="수_있 허용 허락 승인 해도_됩니다 해도_돼",
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
