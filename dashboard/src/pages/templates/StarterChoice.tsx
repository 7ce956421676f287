import { useId } from 'react'
import { useSender } from '../../api/queries.ts'
import { useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { PLAIN_STARTERS, type Starter, startersFor } from './starters.ts'
import { Thumbnail } from './Thumbnail.tsx'
import classes from './templates.module.css'

/** Loads the starters in the brand of the workspace, if it can be loaded. */
export function useStarters(): readonly Starter[] | undefined {
  const { workspace } = useWorkspace()
  const { data: sender, isError } = useSender()
  // The sender has only the path of its logo, and emails need the whole URL.
  const { data: files } = useWorkspaceQuery(
    ['media', 'origin'],
    async (api, signal) => (await api.GET('/media-files', { params: { query: { limit: 1 } }, signal })).data.data,
    { enabled: sender?.logoUrl != null },
  )
  if (isError) return PLAIN_STARTERS
  if (!sender || (sender.logoUrl !== null && !files)) return undefined
  const origin = files?.[0]?.url
  return startersFor({
    name: sender.fromName ?? workspace.name,
    color: sender.brandColor,
    logoUrl: sender.logoUrl === null || origin === undefined ? null : new URL(sender.logoUrl, origin).href,
  })
}

/** Chooses a design to start from. */
export function StarterChoice({
  starters,
  chosen,
  onChoose,
}: {
  starters: readonly Starter[]
  chosen?: Starter | undefined
  onChoose: (starter: Starter) => void
}) {
  const id = useId()
  return (
    <div>
      <p className={classes.label} id={id}>
        Start from
      </p>
      <ul className={classes.starters} aria-labelledby={id}>
        {starters.map((starter) => (
          <li key={starter.id} className={classes.card}>
            <Thumbnail
              of={['starter', starter.id, starter.design]}
              preview={async (api, signal) => {
                const { subject, design } = starter
                const body = { format: 'BLOCKS' as const, subject: subject ?? 'Hello', design }
                return (await api.POST('/templates/preview', { body, signal })).data.data
              }}
            />
            <div className={classes.about}>
              <button
                type="button"
                className={`textButton ${classes.cover}`}
                {...(chosen && { 'aria-pressed': starter.id === chosen.id })}
                onClick={() => onChoose(starter)}
              >
                <span className="strong">{starter.name}</span>
              </button>
              <span className="small t2">{starter.description}</span>
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}
