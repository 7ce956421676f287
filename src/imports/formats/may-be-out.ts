import { foldedWord, wordIn } from './format.ts'
import { saysNo, saysOut, saysYes } from './wants-mail.ts'

/** Columns that may tell who wants no mail, by what they are called: where a cell of them says anything but no, … */
const OF_OUT =
  /unsub|opt(?:ed|s)?out|blacklist|blocklist|suppress|bounce|complain|^clean(?:ed|time|campaign)|donot(?:mail|email|contact|send|market)|^no(?:e?mail|marketing)|^dn[ce]$|blocked|(?:^|is|e?mail|account)disabled$|(?:^|is)excluded|undeliverable|stopmail|invalid|spam|^(?:is)?junk(?:ed)?$|gesperrt|werbesperre|^keine?(?:mail|werbung|newsletter)|ausgetragen|abgemeldet|abbestellt|désabonn|désinscri/
/** … where it says anything but yes, … */
const OF_IN =
  /opt(?:ed|s)?in|^(?:is|e?mail|optin)?confirmed$|contactable|accepts|consent|marketing|newsletter|permission|mailing(?:s?$|list|allowed|ok)|receives?(?:e?mail|news|offer)|e?mail(?:allowed|ok)|canbe(?:e?mailed|contacted)|wants(?:e?mail|news)|einwilligung|werbung/
/** … and where it says no, or that somebody is one of these. */
const OF_STATE = /subscri(?!ptions$)/
const STATE = /^(?:e?mail|mailing|contact|marketing|newsletter|list)*(?:status|state|estado|stato|statut)$/
const NO_STATE =
  /^(?:inactive|blocked|disabled|spam|pending|unconfirmed|archived|cancell?ed|denied|declined|revoked|withdrawn|deleted|removed|expired|paused|stopped|refused|undeliver|awaiting|invalid|complain|junk|marked|gesperrt|baja$|dad[oa]debaja|(?:not|non|never|no)$)/
/** "Not interested", and no Nottinghamshire. */
const NOT = /^(?:not|non|never|no|nicht|kein|ne)[\s_-]/i
/** Some write a number for it, of which only 1 is known to be a yes. */
const CODE = /^[02-9]$/
/** Of which one, where, when and how often, which is neither yes nor no: "Opt-in IP", "Marketing channel". */
const OF_SOMETHING_ELSE =
  /(?:ip|id|source|page|url|link|text|language|street|city|zip|code|country|address|channel|campaign|name|version|count|number|rate|score|plan|tier|level|type|budget|price|date|time)$/
/** What is counted or measured is no word of anybody's; when it was is one. */
const MEASURED = /(?:rate|score)$/

/** So much of a title is looked at, for each cell below it. */
const MOST_TITLE = 200

/**
 * Whether a cell of a column that nobody has chosen may say that somebody wants no mail. It is asked then, for a guess would mail her, or keep
 * from mailing somebody else for good.
 */
export function mayBeOut(title: string, cell: string): boolean {
  if (wordIn(cell) === '') return false
  if (saysOut(cell)) return true
  const column = foldedWord(title.slice(0, MOST_TITLE))
  if (OF_OUT.test(column)) return !saysNo(cell) && !MEASURED.test(column) && !/^https?:/i.test(wordIn(cell))
  if (OF_SOMETHING_ELSE.test(column)) return false
  const isState = STATE.test(column)
  if (isState && CODE.test(wordIn(cell))) return true
  if ((isState || OF_STATE.test(column)) && isNoState(cell)) return true
  return OF_IN.test(column) && !saysYes(cell)
}

const isNoState = (cell: string): boolean => saysNo(cell) || NOT.test(wordIn(cell)) || NO_STATE.test(foldedWord(cell))
