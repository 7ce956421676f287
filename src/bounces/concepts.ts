// cspell:ignore addresse authenticat authori complian couldn doesn dpsx inactiv recogni throttl unrecogni unrout violat weren

/**
 * Concepts in the replies of mail servers: general words, not the sentences of one server. `∘` stands for a host name or a link, and
 * `…` for an address.
 */

const any = (...patterns: readonly string[]): RegExp => new RegExp(patterns.join('|'), 'i')
const { raw } = String

const MAILBOX = raw`(?:user(?: ?id|name)?s?|mail[ -]?box(?:es)?|mail ?folder|recipients?|address(?:es|ee)?|accounts?|customer|alias|inbox|local[ -]part)`
/** Some words of the same clause. */
const WORDS = raw`[^.;!?]{0,60}?`

// The mailbox exists.

export const MAINTENANCE = /\bmaintenance\b/i
/** It accepts mail, but not from us. */
export const NOT_FROM_US = any(
  raw`\b(?:for|from|to) (?:all )?(?:external|outside|internet) (?:e?-?mails?|messages?|senders?|sources?|hosts?|networks?)\b`,
  raw`\b${MAILBOX} (?:policy|policies)\b`,
  raw`\b(?:destination|${MAILBOX}) for you\b`,
  raw`\b(?:permitted|permission|allowed|authori[sz]ed) to (?:post|send)\b`,
)

// The mailbox is full, disabled or unknown.

export const FULL = any(
  raw`\b${MAILBOX}\b${WORDS}\bfull\b`,
  raw`\bfull ${MAILBOX}\b`,
  raw`over ?quota`,
  raw`(?<!(?:relay|queue|sending|daily|hourly|message) )quota`,
  raw`exceeded storage allocation`,
  raw`(?:out of|(?:not (?:have )?|n.t have )enough(?: \w+)?) (?:storage|space)`,
  raw`\b${MAILBOX}\b${WORDS}\b(?:exceed\w*|over)\b${WORDS}\b(?:size|storage|space)`,
  raw`mail ?box (?:(?:size )?limit|${WORDS}\bexceed\w*${WORDS}\blimit)`,
)

const GONE = raw`(?:disabled|deactivated|inactiv\w+|suspended|locked|expired|closed|discontinued|terminated|deleted|frozen|dormant|abandoned|not (?:active|activated)|no longer (?:active|available|in use|on server|accepts?))`
export const DISABLED = any(
  raw`\b${MAILBOX}\b${WORDS}\b${GONE}\b`,
  raw`\b${GONE} (?:\w+ )?${MAILBOX}\b`,
  raw`\b(?:mail ?box|account) (?:is|was|has been) blocked`,
  raw`recipient address rejected: blocked`,
)

const UNKNOWN = raw`(?:unknown|no such|invalid|non-?existent|unrecogni[sz]ed|unrout\w+|undeliverable|not (?:our|a (?:valid|known))|no valid|bad(?: destination)?)`
const IS_UNKNOWN = raw`(?:unknown(?! (?:error|reason|problem))|not (?:be |currently )?(?:found|known|exist|recogni[sz]ed|listed|here|valid|registered|a (?:valid|known))|(?:does|do|did)(?:n.t| not) exist|couldn.t be found|unrecogni[sz]ed|name (?:is )?not allowed|no longer (?:valid|exists?)|invalid|non-?existent|unallocated|misspelled)`
export const NOT_FOUND = any(
  raw`\b${UNKNOWN}(?: [\w-]+){0,3}? ${MAILBOX}\b(?! syntax in)`,
  raw`\bno (?:mail[ -]?box|user|account|recipient)\b`,
  raw`\b${MAILBOX}\b${WORDS}\b${IS_UNKNOWN}`,
  raw`\bhas moved\b`,
  raw`… is no longer (?:valid|active)`,
  raw`(?:does not|doesn.t) have an? (?:\S+ )?(?:account|mail ?box)`,
  raw`(?:can ?not|can.t|couldn.t|unable to) (?:find|locate)(?: [\w'’]+){0,2} ${MAILBOX}`,
)
/** The standard text for a code 550 without a cause (RFC 5321, section 4.2.2). */
export const UNAVAILABLE = any(raw`\b${MAILBOX}\b${WORDS}\b(?:unavailable|not available)`)
export const ADDRESS_REJECTED = /\b(?:address|recipient) rejected\W*$/i
/** Exchange Online's text for an unknown recipient, with the code 5.4.1. */
export const ADDRESS_DENIED = /\baddress(?:es)? rejected ?: access denied/i

export const NO_DOMAIN = any(
  raw`\b(?:host|domain)(?: name)?\b${WORDS}\b(?:not found|unknown|does(?:n.t| not) exist)`,
  raw`\b(?:unknown|invalid|no such|unrout\w+) (?:mail )?(?:host|domain)`,
  raw`\bno (?:valid )?mail (?:exchanger|host|server)s?\b`,
  raw`couldn.t find any host|nxdomain|null mx|\bno mx\b`,
  raw`(?:host|domain|server) does not accept (?:any )?e?mail(?! (?:from|in))`,
)

// The sender, its message and its network.

export const TOO_LARGE = any(
  raw`\b(?:message|e?-?mail|header|line)s?(?: \w+)? (?:size|length)\b`,
  raw`\b(?:message|mail|headers?)\b.{0,15}\btoo (?:big|large)\b`,
)
export const RATE = any(
  raw`too many (?!hops|failures|attempts)`,
  raw`\brates?\b|rate.?limit|frequency|throttl`,
  raw`too (?:fast|quickly|often|frequent)`,
  raw`(?:excessive|unexpected|unusual) (?:\w+ )?(?:volume|rate|traffic)`,
  raw`per (?:hour|day|minute|connection)`,
  raw`(?:message|connection|sending|hourly|daily|relay)s? (?:\w+ )?(?:quota|limit)`,
)
export const AUTHENTICATION = any(
  raw`\b(?:spf|dkim|dmarc)\b|authenticat`,
  raw`\bsenders?\b|return.?path|(?:return|originating) address|mail ?from\b|\bfrom:|\bfrom (?:header|address|domain)`,
  raw`\bptr\b|reverse.?(?:dns|lookup)|\brdns\b|\bdns\b.{0,30}\brecord|\b(?:helo|ehlo)\b`,
  raw`\brelay(?:ing|ed)?(?: \w+){0,2} (?:denied|deny|not|disallow\w*|prohibited|refused)\b`,
  raw`(?:n.t|\bnot?|\bdeny|\bdenied|\bunable to|\binsecure)\b(?: \w+){0,3} relay`,
)
const ADDRESS_OF_US = raw`\d{1,3}(?:\.\d{1,3}){3}\]?\)?`
export const REPUTATION = any(
  raw`(?:block|black|deny|allow|white) ?-?list|\b\w*(?:dnsbl|rbl)s?\b|\b[dpsx]?bl\b`,
  raw`reputation|complaints|banned|spamhaus|spamcop`,
  raw`(?<!not )\blisted (?:at|on|in|by)\b`,
  raw`(?<!\bor )\bip\b`,
  raw`(?:your|client|sending|source|connecting) (?:\w+ ){0,2}(?:host|server|network|system|mta|account)\b`,
  raw`(?<!contact )your domain`,
  raw`${ADDRESS_OF_US} ?(?:\w+ ){0,3}(?:blocked|rejected|refused|denied|weren.t)`,
)
export const CONTENT = any(
  raw`\bspam|virus|malware|phish|infected|unsolicited|bulk|junk|suspicious`,
  raw`attachment|content|\bheaders?\b|\bmime\b|complian|8-?bit|line limit|malformed message`,
)
export const POLICY = any(
  raw`policy|policies|\bblocked|prohibited|forbidden|violat|permission|restrict|preferences`,
  raw`not (?:permitted|allowed|authori[sz]ed)|access (?:is )?denied|weren.t sent`,
  raw`\b(?:(?:e-?)?mail|message)s? (?:(?:was|is|has been) )?(?:rejected|refused|denied|declined|not accepted)`,
)
export const REFUSED =
  /(?<!addresse?s? |recipient |connection |temporarily )\b(?:rejected|refused|denied|declined|not accept(?:ed|ing connections))/i

// The connection.

export const GREYLISTED = /gr[ea]y-?list/i
/** Failures before the remote server replied. */
export const NO_CONNECTION = any(
  raw`lost connection|connection (?:was )?(?:timed ?out|reset|dropped|closed)|timed ?out (?:in|while|during|after)`,
  raw`no route to host|network is unreachable|name service error.{0,100}(?:try again|malformed)`,
)
/** The remote server fails. Some servers use codes of a policy for it. */
export const SYSTEM_FAILED = any(
  raw`(?:server|system) error|insufficient|resources`,
  raw`(?:service|server|system)\b.{0,20}(?:not available|unavailable)`,
)
export const FAILED_FOR_NOW = any(
  raw`temporar|try (?:again|later)|retry|deferred|gave up|giving up|too long|expired|failures`,
  raw`time ?d? ?out|unreachable|not reachable|unavailable|not available|not responding|\bbusy\b|overload`,
  raw`insufficient|resources|hops|\bloop|dns|(?:system|server|internal|network|socket) error`,
  raw`could not (?:connect|deliver|find)|connect to|connection refused`,
)
/** Announces a later success. */
export const FOR_NOW = /\btemporar|\blater\b/i
