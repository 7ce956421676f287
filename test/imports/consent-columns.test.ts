import assert from 'node:assert/strict'
import type { ColumnChoice } from '../../src/imports/index.ts'
import { importing } from './importing.ts'

/** Columns by which people said no, in the words of shops, registers and spreadsheets: the title, a no, and a yes. */
const COLUMNS: readonly (readonly [title: string, no: string, yes: string])[] = [
  ['Blocked', 'x', ''],
  ['Afgemeld', 'ja', ''],
  ['Cancelado', '2024-05-06', ''],
  ['DND', '1', '0'],
  ['Mailable', 'no', 'yes'],
  ['Unsubscribed', 'TRUE', 'FALSE'],
  ['Opted out (Y/N)', 'Y', 'N'],
  ['opt_in', 'false', 'true'],
  ['Newsletter', '', 'on'],
  ['Kein Mailing', 'x', ''],
  ['Abgemeldet am', '06.05.2024', ''],
  ['Widerruf', '2024-05-06', ''],
  ['Werbesperre', 'ja', 'nein'],
  ['Einwilligung', 'nein', 'ja'],
  ['Désabonné', 'oui', 'non'],
  ['Estado', 'Dado de baja', 'Activo'],
  ['Iscritto', 'no', 'sì'],
  ['Uitgeschreven', 'ja', 'nee'],
  ['Avregistrerad', 'ja', 'nej'],
  ['Peruutettu', 'kyllä', 'ei'],
  ['Wypisany', 'tak', 'nie'],
  ['Отписан', 'да', 'нет'],
  ['退订', '是', '否'],
  ['配信停止', '1', ''],
  ['Leiratkozott', 'igen', 'nem'],
  ['Odhlášen', 'ano', 'ne'],
  ['Status', 'Not subscribed', 'Subscribed'],
  ['Email Marketing Consent', 'NEVER_SUBSCRIBED', 'SUBSCRIBED'],
  ['Accepts Email Marketing', 'no', 'yes'],
  ['Contact?', 'never', 'any time'],
  ['Mail', 'stop', 'ok'],
  ['Flag', 'R', 'G'],
  ['Code', '2', '1'],
  ['Bounces', '3', '0'],
  ['Consent withdrawn', 'yes', 'no'],
  ['Left', '2023', ''],
  ['Deceased', 'y', 'n'],
  ['Notes', 'Unsubscribed by Bruno', 'Met at a fair'],
  ['Tags', 'vip, do-not-email', 'vip'],
  ['', 'unsubscribed', 'x'],
  ['I agree to receive news, and can unsubscribe at any time', 'No', 'Yes'],
  ['GDPR', 'revoked', 'given'],
  ['LGPD', 'negado', 'aceito'],
  ['E-mail OK?', 'N', 'J'],
  ['Robinson list', '1', '0'],
  ['TPS', 'registered', ''],
  ['Suppression', 'hard', 'none'],
  ['Complaint', '2024-01-01', '0000-00-00'],
  ['Communication preference', 'Post', 'Email'],
  ['Mailings suspended until', '2099-12-31', ''],
  ['Subscription', 'cancelled', 'active'],
]

describe('an import of a file with a column that may hold consent', () => {
  const { service, domain, draft, run, contact } = importing()
  const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`

  it('imports no contact before the column is decided, with any title', async () => {
    assert.ok(COLUMNS.length >= 50)
    for (const [title, no, yes] of COLUMNS) {
      const at = domain()
      const text = `email,${quote(title)}\nno@${at},${quote(no)}\nyes@${at},${quote(yes)}\n`
      const body = { name: 'x.csv', text, consent: 'SUBSCRIBED', start: true }
      assert.equal((await service().call('POST', 'imports', body)).refused, '400 mapping_incomplete', title)
      for (const preset of ['plunk', 'hubspot']) {
        const { refused } = await service().call('POST', 'imports', { ...body, preset })
        // A preset that knows the column takes its consent from it, and does not let another statement override it.
        assert.match(refused ?? '', /^400 (?:mapping_incomplete|wrong_mapping)$/, `${preset} ${title}`)
      }
      // The user names the value that means yes. Every other value means no.
      const column: ColumnChoice = { column: title || 'Column 2', field: 'consent', yes: [yes] }
      const { id } = await draft(text, { columns: [column] })
      const done = await run(id)
      assert.deepEqual([done.created, done.suppressed, done.failed], [2, 1, 0], title)
      assert.equal((await contact(`no@${at}`))!.suppressedBy, 'IMPORTED', title)
      assert.equal((await contact(`yes@${at}`))!.suppressedBy, null, title)
    }
  }).timeout(120_000)
})
