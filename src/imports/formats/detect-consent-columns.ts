import { foldedWord, wordIn } from './format.ts'
import { saysNo, saysOut, saysYes } from './parse-consent.ts'

const OUT =
  'unsub|opt(?:ed|s)?out|blacklist|blocklist|suppress|bounce|complain|donot(?:mail|email|contact|send|market)|suspend|blocked|undeliverable|' +
  'stopmail|invalid|spam|gesperrt|werbesperre|ausgetragen|abgemeldet|abbestellt|désabonn|désinscri|uitgeschreven|afgemeld|disiscri|desuscri|' +
  "dad[oa]debaja|don['’]?t(?:e?mail|contact|send|market)|never(?:e?mail|contact|send)|widerspr|objection|objected|abmeld|afmelding"
const NONE = 'no(?:e?mail|marketing|news|promo)|keine?(?:mail|werbung|newsletter)'
/** Columns that may tell who wants no mail, by what they are called: where a cell of them says anything but no, … */
const OF_OUT = new RegExp(
  `${OUT}|^(?:${NONE})|^clean(?:ed|time|campaign)|^dn[ce]$|(?:^|is|e?mail|account)disabled$|(?:^|is)excluded|^(?:is)?junk(?:ed)?$|^baja|baja$|^opposition|mailingpaused$`,
)
/** … where it says anything but yes, or nothing in what is a box that nobody has ticked, … */
const OF_IN =
  /opt(?:ed|s)?in|^(?:is|e?mail|optin)?confirmed$|contactable|accepts|consent|marketing|newsletter|permission|mailing(?:s?$|list|allowed|ok)|receives?(?:e?mail|news|offer)|e?mail(?:allowed|ok)|canbe(?:e?mailed|contacted)|wants(?:e?mail|news)|einwilligung|werbung/
/** Of such words alone, that is: none of them begins as another one goes on. */
const BOX =
  /^(?:i|e?mails?|accepts?|agree[ds]?|wants?|receives?|gets?|subscribe|join|our|the|my|yes|to|gdpr|dsgvo|rgpd|newsletters?|marketing|mailings?|mailinglist|opt(?:ed)?in|consents?|permission|given|signup|einwilligung|werbung|canbecontacted)+$/
/** None of these begins as another one goes on: there is one way through each title. */
const PREFIX =
  '(?:has|is|was|e?mails?|contact|customer|user|account|newsletter|marketing|consent|permission|mailing|list|optin|einwilligung|werbung)'
/** Of one that speaks of both, what it says of her is clear in these alone: "Newsletter unsubscribed", "Consent withdrawn". */
const CLEARLY_OUT = new RegExp(
  `^${PREFIX}*(?:${OUT}|${NONE})|^${PREFIX}+(?:withdrawn|revoked|declined|refused|rejected|denied|removed|excluded|stopped|cancell?ed|expired|` +
    'widerrufen|abgelehnt|verweigert|entzogen|retiré|révoqué|revocad[oa]|retirad[oa]|rechazad[oa]|revocat[oa]|rifiutat[oa]|ingetrokken|' +
    'geweigerd|disabled|paused|deactivated)(?:at|on|date|time)?$|^(?:remove|exclude)d?from',
)
/** In others it may be that, or what she can do at any time: "Newsletter & exclusive offers". */
const NEGATED =
  /withdr|revo[ck]|suspend|declin|refus|reject|denied|remov|exclu|stop|cancel|without|expired|widerruf|abgelehnt|verweiger|entzogen|retir|révoq|rechaz|rifiut|ingetrokken|geweigerd|disabled|paused|inactive|deactiv|off$|^left|objec|^non|not(?:allowed|interested)|nolonger|donot|don['’]?t|gekündigt|exempt|^baja/
/** … and where it says no, or that somebody is one of these. */
const OF_STATE =
  /subscri(?!ptions$)|^(?:can|may|allow|ok|send|receives?|gets?)(?:to)?(?:e?mail|news|promo)|emailable|^promotion(?:s|al(?:e?mails?|offers?))$|^(?:gdpr|rgpd|dsgvo)|abonn|suscri|iscri[tz]|inscri|angemeldet|aangemeld|ingeschreven/
const STATE =
  /^(?:e?mail|mailing|contact|marketing|newsletter|list)*(?:status|state|zustand|estado|situação|stato|statut)$/
const NO_STATE =
  /^(?:ina[ck]ti|inattiv|suspend|blocked|disabled|spam|pending|unconfirmed|archived|cancell?ed|denied|declined|revoked|withdrawn|deleted|removed|expired|paused|stopped|refused|undeliver|awaiting|invalid|complain|junk|marked|gesperrt|baja$|dad[oa]debaja|no$|not(?!tingham|redame|o$)|non(?!thaburi)|never(?!s$))/
/** Of words that others begin with, too: "no thanks", and no Nova Scotia. */
const NOT = /^(?:(?:not|non|never|no|nicht|kein)(?!\p{L})|ne[\s_-]+\p{L})/iu
/** Some write a number for it, of which only 1 is known to be a yes. */
const CODE = /^[02-9]$/
/** Of which one, where, when and how often, which is neither yes nor no: "Opt-in IP", "Marketing channel". */
const OF_SOMETHING_ELSE =
  /(?:ip|id|source|page|url|link|text|language|street|city|zip|code|country|address|channel|campaign|name|version|count|number|rate|score|plan|tier|level|type|budget|price|date|(?<!any)time)$/
/** What is counted or measured is no word of anybody's; when it was is one. */
const MEASURED = /(?:rate|score)$/

/** What is longer, without spaces, is no name of a column, but what somebody was asked. */
const MAX_NAME = 60

/**
 * Whether cells of a column that nobody has chosen may say that somebody wants no mail. It is asked then, for a guess would mail her, or keep
 * from mailing somebody else for good.
 *
 * @param title looked at once, and whole: some have all of a consent above their column
 */
export function doubtOf(title: string): (cell: string) => boolean {
  const column = foldedWord(title)
  const isIn = OF_IN.test(column)
  const isClear = CLEARLY_OUT.test(column)
  const isOut = OF_OUT.test(column) || isClear
  // Whole sentences speak of both, and end in anything.
  const isAnything = column.length > MAX_NAME ? isOut || isIn : isIn && !isClear && (isOut || NEGATED.test(column))
  const [isBox, isMeasured, isOther] = [isIn && BOX.test(column), MEASURED.test(column), OF_SOMETHING_ELSE.test(column)]
  const [isState, isOfState] = [STATE.test(column), OF_STATE.test(column)]
  return (cell) => {
    if (isAnything) return true
    const word = wordIn(cell)
    if (word === '') return isBox
    if (saysOut(cell)) return true
    if (isOut) return !saysNo(cell) && !isMeasured && !/^https?:/i.test(word)
    if (isOther) return false
    if (isState && CODE.test(word)) return true
    if ((isState || isOfState) && isNoState(cell)) return true
    return isIn && !saysYes(cell)
  }
}

const isNoState = (cell: string): boolean => saysNo(cell) || NOT.test(wordIn(cell)) || NO_STATE.test(foldedWord(cell))
