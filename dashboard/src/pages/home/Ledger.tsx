import { useRead } from '../../api/workspace.tsx'
import { timeOf } from '../../parts/numbers.ts'
import { Rows } from '../../parts/Rows.tsx'
import { MESSAGE_LOOKS } from '../../parts/states.tsx'
import { Part } from '../../shell/Page.tsx'
import classes from './HomePage.module.css'

/** The last messages, as they are written. */
export function Ledger() {
  const { data, isError } = useRead(
    ['messages', 'last'],
    async (api, signal) => (await api.GET('/messages', { params: { query: { limit: 13 } }, signal })).data.data,
    { everyMs: 3_000 },
  )
  return (
    <Part title="Ledger" beside={data && !isError ? <span className={classes.live}>Live</span> : undefined}>
      {!data && <Rows rows={8} height={25} />}
      {data?.length === 0 && <p className="t2">No message yet. The first one stands here as soon as it is due.</p>}
      <ul>
        {data?.map((message) => {
          const { icon: Icon, meaning, word } = MESSAGE_LOOKS[message.status]
          return (
            <li key={message.id} className={`${classes.line} c-${meaning}`}>
              <span className="mono t3">{timeOf(new Date(message.createdAt))}</span>
              <Icon size={14} stroke={2} aria-label={word} role="img" />
              <span className="cut">{message.subject ?? <span className="t3">No subject yet</span>}</span>
              <span className="cut t3">{message.to}</span>
            </li>
          )
        })}
      </ul>
    </Part>
  )
}
