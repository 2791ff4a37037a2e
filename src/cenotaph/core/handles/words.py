"""The closed word lists of the grammar: data, with no rule in it."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SUFFIXES: Final = _words("""
    py pyi pyc ipynb js mjs cjs jsx ts mts cts tsx vue svelte go mod sum rs java kt kts scala groovy gradle c h cc
    cpp cxx hpp hh cs fs vb rb php pl pm lua swift m mm r jl ex exs erl hs ml clj dart zig nim sh bash zsh fish ps1
    bat cmd sql md mdx rst adoc txt tex json jsonl json5 ndjson yaml yml toml ini cfg conf config env lock xml xsd
    html htm css scss sass less svg png jpg jpeg gif webp ico bmp pdf csv tsv xlsx xls docx pptx log out err db
    sqlite sqlite3 proto graphql tf tfvars hcl patch diff parquet avro pem crt cer key pub service socket tmpl tpl
    j2 jinja mk cmake bazel zip gz tgz tar bz2 xz zst whl jar war so dll exe bin dat pkl npy npz onnx pt safetensors
    map snap bak tmp pid wasm plist properties template example dockerfile
""")
"""File suffixes by which a bare name is a file."""

UNIT_SUFFIXES: Final = _words("service socket timer mount automount")
"""Suffixes of the units of systemd that nothing else has as often."""

LOOSE_UNIT_SUFFIXES: Final = _words("target slice scope path swap device container volume network netdev link pod")
"""Suffixes of units that are names of attributes too."""

UNIT_NAMES: Final = _words("""
    graphical.target network.target default.target basic.target sockets.target timers.target paths.target
    rescue.target emergency.target halt.target reboot.target poweroff.target shutdown.target sysinit.target
    system.slice user.slice machine.slice init.scope
""")
"""Whole names of units with such a suffix."""

FILE_NAMES: Final = _words("""
    Dockerfile Makefile Containerfile Jenkinsfile Procfile Vagrantfile Gemfile Rakefile Pipfile Justfile
    CMakeLists.txt CODEOWNERS .env .envrc .gitignore .gitattributes .gitmodules .gitlab-ci.yml .dockerignore
    .editorconfig .npmrc .nvmrc .bashrc .zshrc .profile .bash_profile .bash_history .vimrc .ssh .aws .kube .netrc
    .pypirc .prettierrc .eslintrc .babelrc .htaccess .python-version .tool-versions .pre-commit-config.yaml .github
    .git .vscode .claude
""")
"""Names that are files without a known suffix."""

ROOTS: Final = _words("""
    src lib libs tests docs doc bin cmd pkg internal packages modules node_modules vendor dist target etc usr var
    home tmp opt srv examples benchmarks migrations templates charts infra terraform components utils include crates
    assets images scripts origin upstream remotes refs heads feature bugfix hotfix release releases
""")
"""First parts by which two plain words around a slash are a path (or a branch) and not an alternative."""

TLDS: Final = _words("""
    com org net edu gov mil int io ai dev app co uk de fr es it nl eu us ca au jp cn kr in br ru ch at be se no fi
    dk pl cz pt ie nz mx info biz xyz cloud tech online site me tv gg internal local localdomain lan corp intranet
    example localhost onion arpa cluster svc
""")
"""Last parts by which a dotted name is a host."""

LOOSE_TLDS: Final = _words("""
    io ai dev app in is it at be no me info local internal example int cluster svc online site ch se us to cloud
    tech lan corp name
""")
"""Last parts that are attribute names as often: such a host has three parts, a hyphen or a port."""

SERVICES: Final = _words("""
    localhost redis postgres postgresql mysql mariadb mongo mongodb kafka zookeeper rabbitmq elasticsearch memcached
    minio consul vault etcd db api web app server proxy backend frontend gateway worker host broker registry grafana
    prometheus loki jaeger nginx
""")
"""Bare names that are hosts when a port follows."""

PRODUCTS: Final = _words("""
    node.js vue.js react.js next.js nuxt.js express.js three.js d3.js ember.js backbone.js socket.io asp.net vb.net
    e.g i.e a.k.a u.s u.k z.b d.h u.a p.s a.m p.m
""")
"""Dotted words that are names or abbreviations, in lower case."""

BRANDS: Final = _words("""
    JavaScript TypeScript CoffeeScript GitHub GitLab BitBucket YouTube LinkedIn WhatsApp FaceTime PayPal OpenAI
    DeepMind ChatGPT HuggingFace DeepSeek PostgreSQL MySQL MariaDB MongoDB DynamoDB GraphQL SQLite NoSQL LaTeX TeX
    PhD McDonald MacDonald iPhone iPad iOS iPadOS macOS MacBook tvOS watchOS eBay iCloud iTunes OpenShift CloudFlare
    DevOps GitOps DevTools WordPress PowerPoint PowerShell OneDrive SharePoint OpenSSL OpenSSH LibreOffice FreeBSD
    OpenBSD NetBSD WebSocket WebSockets WebAssembly PyTorch TensorFlow NumPy SciPy PyPI FastAPI IntelliJ PyCharm
    WebStorm StackOverflow HashiCorp CircleCI TravisCI JetBrains OAuth IPv4 IPv6 WiFi eCommerce VMware VirtualBox
    RabbitMQ ElasticSearch JSONs URLs APIs IDs PRs VMs CPUs GPUs PDFs LLMs SaaS PaaS IaaS McKinsey LangChain
    LlamaIndex AutoGPT BigQuery CloudWatch CloudFormation CloudFront DataDog PagerDuty
""")
"""Names of the trade that are written like identifiers."""

DUNDERS: Final = _words("""
    __init__ __main__ __name__ __all__ __file__ __doc__ __dict__ __call__ __enter__ __exit__ __eq__ __hash__
    __repr__ __str__ __len__ __iter__ __next__ __getitem__ __setitem__ __getattr__ __setattr__ __slots__ __new__
    __del__ __class__ __version__ __future__ __pycache__ __import__ __module__ __annotations__ __post_init__
    __dirname __filename __proto__ __aenter__ __aexit__ __contains__ __bool__ __lt__ __le__ __gt__ __ge__ __ne__
    __add__ __sub__ __mul__
""")
"""Double-underscore names: any other may be emphasis."""

ERRNOS: Final = _words("""
    ENOENT EACCES EPERM EEXIST EINVAL ENOTDIR EISDIR ENOTEMPTY ENOSPC ENOMEM EMFILE ENFILE EBUSY EAGAIN EBADF EPIPE
    EROFS EXDEV EIO EINTR EFAULT ECHILD ENODEV ENXIO EFBIG EMLINK ESPIPE EDEADLK ENAMETOOLONG ELOOP ENOTSUP
    EOPNOTSUPP ECONNREFUSED ECONNRESET ECONNABORTED EHOSTUNREACH ENETUNREACH ENETDOWN ETIMEDOUT ENOTFOUND EADDRINUSE
    EADDRNOTAVAIL ENOTCONN EALREADY EINPROGRESS EWOULDBLOCK EPROTO ESTALE EDQUOT ENOSYS ERANGE EDOM ETXTBSY ENOEXEC
    ESRCH EAI_AGAIN ERESOLVE EINTEGRITY ELIFECYCLE EBADENGINE EUSAGE EOTP EPUBLISHCONFLICT EJSONPARSE ENOLOCK
    ETARGET SIGKILL SIGTERM SIGSEGV SIGINT SIGABRT SIGHUP SIGBUS SIGPIPE SIGFPE SIGILL SIGQUIT SIGCHLD SIGALRM
    SIGSTOP SIGCONT SIGTRAP SIGUSR1 SIGUSR2 SIGWINCH SIGXCPU NXDOMAIN SERVFAIL OOMKilled ImagePullBackOff
    ErrImagePull
""")
"""Error and signal names of systems."""

NOT_TICKETS: Final = _words("""
    UTF UCS SHA MD ISO IEC IEEE COVID AES DES RSA HMAC ECDSA TLS SSL BASE ASCII CP RS EN DIN ANSI ECMA ES IPV UTC
    GMT TOP WIN MP LTE GPT CLAUDE LLAMA GEMINI USB HDMI PCI DDR ARM X RFC KB PEP JSR ARMV MIPS RISC ZONE TIER PART
    PHASE STEP V CC BSD GPL LGPL AGPL MIT APACHE MPL EUPL PEAK CATCH PAGE LINE ROW FIPS NIST HTTP Q P B H
""")
"""Capitals before a hyphen and a number that name a standard, not a ticket."""

ID_NOUNS: Final = _words(
    "pr pull issue issues ticket bug mr rfc pep build job run case incident kb request order invoice"
)
"""Words after which a plain number is an id."""

LONG_ID_NOUNS: Final = ID_NOUNS | _words("""
    id ids customer client account acct user member employee patient device serial transaction payment contract
    policy reference ref parcel shipment tracking article item product part sku session record document task
    s/n sn kunde kundennummer bestellung bestellnummer rechnung rechnungsnummer auftrag auftragsnummer vorgang
    vertrag commande facture cliente pedido factura
""")
"""Words that belong to the number behind them if it is a long one."""

COUNTERS: Final = _words("number no. no nr. nr num id #")
"""Words that may stand between such a word and its number."""

FILE_MODES: Final = _words("040000 100600 100640 100644 100664 100755 100775 120000 160000")
"""Modes of files and trees, as git writes them."""

VERBS_IN_S: Final = _words("is was has does as its this us always yes plus vs")
"""Words in -s of which a number before them is no count."""

VERSION_NOUNS: Final = _words("""
    version versions python node nodejs go golang rust java jdk ruby php perl postgres postgresql mysql mariadb
    redis django rails react angular vue kubernetes k8s docker terraform ansible ubuntu debian fedora alpine centos
    release tls ssl openssl nginx npm pip swift kotlin scala elasticsearch mongodb kafka bash git linux kernel macos
    android ios spring laravel symfony dotnet .net typescript numpy pandas pytorch cuda glibc gcc clang cmake helm v
""")
"""Words after which a number with one dot is a version."""

NUMBER_NOUNS: Final = _words("""
    port ports line timeout timeouts cap limit limits budget ttl retries attempts maximum minimum threshold quota
    pid size capacity concurrency replicas workers interval delay deadline fee expose listen temperature latency
    backoff depth width height offset uid gid seed epochs layers batch_size percentile
""")
"""Words that make a number beside them a named number."""

NUMBER_MODIFIERS: Final = _words("""
    budget rate spend spending request requests connection connections read write idle memory disk cpu cost batch
    max maximum min minimum upper lower daily weekly monthly yearly hard soft token tokens context file upload
    download retry connect socket session lock query pool thread queue page buffer cache heap stack time soft
    default http https tcp udp grpc ssh admin metrics debug server client host container api
""")
"""Words that belong to the name of a number when they stand before it."""

LINKS: Final = _words("of is to at was are now set = : == := than be number no.")
"""Words that may stand between the name of a number and the number."""

MONTHS: Final = _words("""
    jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july august september
    october november december
""")
"""Month names, in lower case."""

UNITS: Final = _words("""
    s ms ns us µs μs sec secs second seconds m min mins minute minutes h hr hrs hour hours d day days week weeks
    month months year years B b kB KB MB GB TB PB k K M G KiB MiB GiB TiB Ki Mi Gi Ti bytes byte bits bit kb mb gb
    tb Mbps Gbps kbps MB/s GB/s Hz kHz MHz GHz fps rps qps req/s ops/s px em rem pt dpi °C °F % percent tokens token
    tok items files file rows row records lines retries retry attempts requests errors error warnings warning
    failures failed failing passed passing skipped insertions insertion deletions deletion additions packages
    vulnerabilities workers replicas instances nodes pods connections threads cores vCPU CPUs GPUs processes tests
    cases commits chars characters messages calls tasks shards partitions EUR USD GBP CHF JPY € $ £ ¥ cents dollars
    euros km kg mm cm Sekunden Minuten Stunden Tage secondes heures jours segundos minutos horas días
    秒 分 分钟 小时 天 時間
    円 元
""")
"""What makes a number before it a number with a unit."""

ATTACHED_ONLY: Final = _words("m h d b k K M G Ki Mi Gi Ti em rem pt B $")
"""Units that count only without a space before them."""

KEYS_OF_PROSE: Final = _words("""
    note todo fixme warning hint tip example examples nb ps re fyi feat fix chore docs refactor test ci build perf
    style revert question answer summary q a e i hi hello ok yes no wip see also caveat update thanks remember
    important http https else default case public private
""")
"""Words before a colon that start a remark, not a setting."""

KEYS_OF_REMARKS: Final = (KEYS_OF_PROSE - _words("a e i build")) | _words("""
    error err errors fatal panic exception failure failed debug trace problem reason result results output input
    usage issue bug cause changed changes added removed created deleted updated modified following follows two three
    one thing things options option conclusion said says asked wrote told first second third then there here that
    pass fail skip run ok info modify create delete add remove update edit read write open close
    it this these those which who what where when why how subject cat ls grep sed awk find bash sh zsh cd cp mv rm
    mkdir chmod chown tar curl ssh scp git make pip npm sudo python node docker kubectl
""")
"""Words before a colon inside a line that start a remark, or a message of a command, not a setting."""

CLAUSE_LEADS: Final = _words("and or with set plus & und oder mit et ou avec y o con via has")
"""Words after which a setting can begin inside a sentence."""

JOINTS: Final = _words("and or then with by in on at but for from to so as via plus since per und oder mit et ou y")
"""Words that can follow a setting inside a sentence, for it is over there."""

TYPE_NAMES: Final = _words("""
    string number boolean any unknown never object void int str float bool bytes dict list tuple set int64 int32
    uint8 uint32 uint64 float64 error symbol bigint char double long
""")
"""Values after a colon that are a type annotation."""

REASONS: Final = (
    "Continue|OK|Created|Accepted|No Content|Moved Permanently|Found|Not Modified|Bad Request|Unauthorized|"
    "Payment Required|Forbidden|Not Found|Method Not Allowed|Request Timeout|Conflict|Gone|Payload Too Large|"
    "Unprocessable Entity|Unprocessable Content|Too Many Requests|Internal Server Error|Not Implemented|Bad Gateway|"
    "Service Unavailable|Gateway Timeout"
)
"""Reason phrases of HTTP (RFC 9110, section 15)."""

LICENCES: Final = _words("Apache GPL LGPL AGPL BSD MPL EPL CC OFL EUPL CDDL")
"""Names of licences: with a version behind they are no package."""

# Prohibitions -------------------------------------------------------------------------------

REMARK_VERBS: Final = _words("""
    worry mind know think believe care hesitate get understand see recall remember forget say said be been have had
    was were is are seem want need feel like love hate expect agree matter mean fret panic doubt laugh cry give even
""")
"""After a negation they make a remark, not an order: "do not worry", "never mind"."""

STATE_VERBS: Final = _words("""
    exist be been have contain happen matter appear work match return error fail need detect still know reach affect
    show equal differ occur include see create prevent trigger cause change panic throw raise break get become
""")
"""What a thing may not or should not do by itself: an expectation, not an order."""

ACTIONS_WITHOUT: Final = _words("""
    touching changing modifying editing deleting removing breaking renaming restarting pushing committing deploying
    altering asking approval permission writing overwriting running using adding installing affecting rewriting
    moving merging creating dropping exposing leaking sending calling prior explicit my confirmation review
""")
"""What an English "without" or "avoid" forbids."""

ORDER_LEADS: Final = _words("""
    and but or please also then so always you we they agents users should to just that because if otherwise
    important note rule you'll i'd kindly
""")
"""Words after which an English order can begin inside a sentence."""

ADDRESSED: Final = _words("you we agents agent users they it and or but")
"""Of whom "may not" is a prohibition rather than a guess."""

ACTIONS_SANS: Final = _words("toucher modifier changer supprimer effacer écrire demander redémarrer pousser casser")
"""What a French "sans" forbids."""

ACTIONS_SIN: Final = _words("tocar modificar cambiar borrar eliminar escribir preguntar reiniciar permiso romper")
"""What a Spanish "sin" forbids."""

STANDARDS: Final = _words("""
    utf-8 utf-16 utf-32 iso-8601 iso-8859-1 sha-1 sha-256 sha-512 x86-64 covid-19 gpt-2 gpt-3 gpt-4 mp-3 b-52 top-10""")
"""Names in parts with a number that name no one thing here."""

PREFIXES: Final = _words("""
    pre post mid non sub anti top phase level part step day week month year type class grade group chapter page line
    early late over under jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july
    august september october november  december""")
"""Words before a hyphen and a number that make no name of it."""
