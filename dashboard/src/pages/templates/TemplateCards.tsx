import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { Time } from '../../components/Time.tsx'
import { KIND_WORDS, usesText } from './template-words.ts'
import { Thumbnail } from './Thumbnail.tsx'
import classes from './templates.module.css'

/** Templates as cards with their emails, the last edited first. */
export function TemplateCards({ templates }: { templates: readonly Schemas['TemplateSummary'][] }) {
  const { workspace } = useWorkspace()
  const sorted = templates.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))
  return (
    <ul className={classes.cards} aria-label="Templates">
      {sorted.map(({ id, name, kind, version, updatedAt, useCounts }) => (
        <li key={id} className={classes.card}>
          <Thumbnail
            of={[id, version]}
            preview={async (api, signal) => {
              const params = { path: { id } }
              return (await api.POST('/templates/{id}/preview', { params, body: {}, signal })).data.data
            }}
          />
          <div className={classes.about}>
            <span className="row">
              <Link
                className={`strong ${classes.cover}`}
                to="/w/$workspaceId/templates/$templateId"
                params={{ workspaceId: workspace.id, templateId: id }}
              >
                {name}
              </Link>
              <span className="small t3">v{version}</span>
              {kind !== 'EMAIL' && <span className="small t3 push">{KIND_WORDS[kind]}</span>}
            </span>
            <span className="t2">{usesText(useCounts)}</span>
            <span className="small t3">
              <Time at={updatedAt} as="date" />
            </span>
          </div>
        </li>
      ))}
    </ul>
  )
}
