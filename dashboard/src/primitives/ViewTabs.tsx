import type { ReactNode } from 'react'
import { count } from '../lib/format.ts'

/** Views of a list, as tabs with counts. The page keeps the chosen one in the URL. */
export function ViewTabs<Id extends string>({
  label,
  views,
  value,
  onChange,
  children,
}: {
  label: string
  views: readonly { id: Id; label: ReactNode; count?: number | undefined }[]
  value: Id
  onChange: (id: Id) => void
  /** Stands at the right, such as a search field. */
  children?: ReactNode
}) {
  return (
    <div className="tabs">
      <div className="tabList" role="group" aria-label={label}>
        {views.map(({ id, label: name, count: many }) => (
          <button
            key={id}
            type="button"
            className="tab textButton"
            aria-pressed={id === value}
            onClick={() => onChange(id)}
          >
            {name} {many !== undefined && <span className="t3">{count(many)}</span>}
          </button>
        ))}
      </div>
      {children !== undefined && <div className="push">{children}</div>}
    </div>
  )
}
