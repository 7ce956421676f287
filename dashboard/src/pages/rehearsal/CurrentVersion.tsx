import type { Schemas } from '../../api/client.ts'
import { plural } from '../../lib/format.ts'
import { wallDay, wallMinute } from '../../lib/wall-time.ts'
import type { Item } from './items.ts'
import classes from './rehearsal.module.css'
import { differenceText } from './labels.ts'

/** The emails that the current version would send to the contact, beside the draft. */
export function CurrentVersion({
  of: { version, difference },
  items,
}: {
  of: NonNullable<Schemas['ContactRehearsal']['current']>
  items: readonly Item[]
}) {
  const messages = items.filter(({ isMessage }) => isMessage)
  return (
    <section aria-label={`Version ${version}`} className={classes.current}>
      <div className={classes.head}>
        <h2>Version {version}</h2>
        <span className="t3">{plural(messages.length, 'email')}</span>
      </div>
      <p className="t2">With the draft, the contact would get {differenceText(difference)}.</p>
      <ol>
        {messages.map(({ at, title }, n) => (
          <li key={n} className="row">
            <span className="t3">
              {wallDay(at)} {wallMinute(at)}
            </span>
            <span className="t2">{title}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}
