// cspell:disable
/**
 * Domains of the largest mailbox providers, whose users cannot publish DNS records. Most of them publish p=quarantine or
 * p=reject, so that mail from other servers is rejected. The list is short on purpose: an unlisted provider gets no warning.
 */
const DOMAINS = new Set(
  `gmail.com googlemail.com ymail.com rocketmail.com aol.com aim.com icloud.com me.com mac.com proton.me protonmail.com pm.me
  mail.com email.com zoho.com zohomail.com fastmail.com fastmail.fm hey.com tuta.com tutanota.com tutanota.de hushmail.com
  web.de freenet.de t-online.de posteo.de mailbox.org orange.fr wanadoo.fr laposte.net free.fr sfr.fr libero.it virgilio.it
  tiscali.it seznam.cz wp.pl onet.pl o2.pl interia.pl mail.ru bk.ru inbox.ru list.ru rambler.ru ya.ru ukr.net abv.bg bigpond.com
  comcast.net att.net sbcglobal.net bellsouth.net verizon.net cox.net charter.net btinternet.com sky.com talktalk.net
  rediffmail.com naver.com daum.net hanmail.net qq.com foxmail.com 163.com 126.com yeah.net sina.com sohu.com aliyun.com
  uol.com.br bol.com.br terra.com.br docomo.ne.jp ezweb.ne.jp`.split(/\s+/),
)
// cspell:enable
/** Providers with a domain for each country, such as yahoo.co.uk. */
const COUNTRIES = /^(?:yahoo|hotmail|outlook|live|msn|gmx|yandex)\.(?:com|net|[a-z]{2}|com?\.[a-z]{2})$/

/** Checks whether a domain belongs to a mailbox provider. */
export const isFreeMail = (domain: string): boolean => DOMAINS.has(domain) || COUNTRIES.test(domain)
