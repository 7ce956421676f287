import { normalizeTitle, visibleText } from './format.ts'
import { isNo, isOptOutCell, isYes } from './parse-consent.ts'

const OUT =
  'unsub|opt(?:ed|s)?out|blacklist|blocklist|suppress|bounce|complain|donot(?:mail|email|contact|send|market)|suspend|blocked|undeliverable|' +
  'stopmail|invalid|spam|gesperrt|werbesperre|ausgetragen|abgemeldet|abbestellt|désabonn|désinscri|uitgeschreven|afgemeld|disiscri|desuscri|' +
  "dad[oa]debaja|don['’]?t(?:e?mail|contact|send|market)|never(?:e?mail|contact|send)|widerspr|objection|objected|abmeld|afmelding"
const NONE = 'no(?:e?mail|marketing|news|promo)|keine?(?:mail|werbung|newsletter)'
/** Titles of columns that may mark opt-outs. A cell is doubtful unless it means no. */
const OF_OUT = new RegExp(
  `${OUT}|^(?:${NONE})|^clean(?:ed|time|campaign)|^dn[ce]$|(?:^|is|e?mail|account)disabled$|(?:^|is)excluded|^(?:is)?junk(?:ed)?$|^baja|baja$|^opposition|mailingpaused$`,
)
/**
 * Titles of columns that may mark opt-ins. A cell is doubtful unless it means yes. An empty cell is doubtful in a checkbox
 * column.
 */
const OF_IN =
  /opt(?:ed|s)?in|^(?:is|e?mail|optin)?confirmed$|contactable|accepts|consent|marketing|newsletter|permission|mailing(?:s?$|list|allowed|ok)|receives?(?:e?mail|news|offer)|e?mail(?:allowed|ok)|canbe(?:e?mailed|contacted)|wants(?:e?mail|news)|einwilligung|werbung/
/** Titles of checkbox columns consist of these words only. A title can be split in one way only, so matching is linear. */
const BOX =
  /^(?:i|e?mails?|accepts?|agree[ds]?|wants?|receives?|gets?|subscribe|join|our|the|my|yes|to|gdpr|dsgvo|rgpd|newsletters?|marketing|mailings?|mailinglist|opt(?:ed)?in|consents?|permission|given|signup|einwilligung|werbung|canbecontacted)+$/
/** Prefixes of titles. A title can be split in one way only, so matching is linear. */
const PREFIX =
  '(?:has|is|was|e?mails?|contact|customer|user|account|newsletter|marketing|consent|permission|mailing|list|optin|einwilligung|werbung)'
/** Titles that contain opt-in words but clearly mark opt-outs: "Newsletter unsubscribed", "Consent withdrawn". */
const CLEARLY_OUT = new RegExp(
  `^${PREFIX}*(?:${OUT}|${NONE})|^${PREFIX}+(?:withdrawn|revoked|declined|refused|rejected|denied|removed|excluded|stopped|cancell?ed|expired|` +
    'widerrufen|abgelehnt|verweigert|entzogen|retiré|révoqué|revocad[oa]|retirad[oa]|rechazad[oa]|revocat[oa]|rifiutat[oa]|ingetrokken|' +
    'geweigerd|disabled|paused|deactivated)(?:at|on|date|time)?$|^(?:remove|exclude)d?from',
)
/** Words that may negate an opt-in title, or may be part of its text: "Newsletter & exclusive offers". */
const NEGATED =
  /withdr|revo[ck]|suspend|declin|refus|reject|denied|remov|exclu|stop|cancel|without|expired|widerruf|abgelehnt|verweiger|entzogen|retir|révoq|rechaz|rifiut|ingetrokken|geweigerd|disabled|paused|inactive|deactiv|off$|^left|objec|^non|not(?:allowed|interested)|nolonger|donot|don['’]?t|gekündigt|exempt|^baja/
/** Titles of columns that may hold a subscription state. A cell is doubtful if it means no or is one of `NO_STATE`. */
const OF_STATE =
  /subscri(?!ptions$)|^(?:can|may|allow|ok|send|receives?|gets?)(?:to)?(?:e?mail|news|promo)|emailable|^promotion(?:s|al(?:e?mails?|offers?))$|^(?:gdpr|rgpd|dsgvo)|abonn|suscri|iscri[tz]|inscri|angemeldet|aangemeld|ingeschreven/
const STATE =
  /^(?:e?mail|mailing|contact|marketing|newsletter|list)*(?:status|state|zustand|estado|situação|stato|statut)$/
const NO_STATE =
  /^(?:ina[ck]ti|inattiv|suspend|blocked|disabled|spam|pending|unconfirmed|archived|cancell?ed|denied|declined|revoked|withdrawn|deleted|removed|expired|paused|stopped|refused|undeliver|awaiting|invalid|complain|junk|marked|gesperrt|baja$|dad[oa]debaja|no$|not(?!tingham|redame|o$)|non(?!thaburi)|never(?!s$))/
/** Negations as whole words: "no thanks", but not "Nova Scotia". */
const NOT = /^(?:(?:not|non|never|no|nicht|kein)(?!\p{L})|ne[\s_-]+\p{L})/iu
/** Numeric state codes. Only 1 is known to be a yes. */
const CODE = /^[02-9]$/
/** Titles of attributes of a consent, which are neither yes nor no: "Opt-in IP", "Marketing channel". */
const OF_SOMETHING_ELSE =
  /(?:ip|id|source|page|url|link|text|language|street|city|zip|code|country|address|channel|campaign|name|version|count|number|rate|score|plan|tier|level|type|budget|price|date|(?<!any)time)$/
/** Titles of measurements, which are not consent. The date of an opt-out is. */
const MEASURED = /(?:rate|score)$/

/** Titles longer than this, without spaces, are the full text of a question. */
const MAX_NAME = 60

/**
 * Creates a check whether a cell of a column without a chosen field may be an opt-out. The user must then choose a field: a wrong
 * guess would either email a contact who opted out, or suppress another one permanently.
 *
 * @param title analyzed once, at full length: some titles are the whole text of a consent
 */
export function createConsentDetector(title: string): (cell: string) => boolean {
  const column = normalizeTitle(title)
  const isIn = OF_IN.test(column)
  const isClear = CLEARLY_OUT.test(column)
  const isOut = OF_OUT.test(column) || isClear
  // Full sentences mix opt-in and opt-out words, and have any ending.
  const isAnything = column.length > MAX_NAME ? isOut || isIn : isIn && !isClear && (isOut || NEGATED.test(column))
  const [isBox, isMeasured, isOther] = [isIn && BOX.test(column), MEASURED.test(column), OF_SOMETHING_ELSE.test(column)]
  const [isState, isOfState] = [STATE.test(column), OF_STATE.test(column)]
  return (cell) => {
    if (isAnything) return true
    const word = visibleText(cell)
    if (word === '') return isBox
    if (isOptOutCell(cell)) return true
    if (isOut) return !isNo(cell) && !isMeasured && !/^https?:/i.test(word)
    if (isOther) return false
    if (isState && CODE.test(word)) return true
    if ((isState || isOfState) && isNoState(cell)) return true
    return isIn && !isYes(cell)
  }
}

const isNoState = (cell: string): boolean =>
  isNo(cell) || NOT.test(visibleText(cell)) || NO_STATE.test(normalizeTitle(cell))
