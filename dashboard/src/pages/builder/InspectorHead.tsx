import { ActionIcon } from '@mantine/core'
import { IconDots, type TablerIcon } from '@tabler/icons-react'
import classes from './Builder.module.css'

/** Names what the side panel edits. */
export function InspectorHead({
  icon: Icon,
  tone,
  title,
  subtitle,
  onActions,
}: {
  icon: TablerIcon
  tone: string
  title: string
  subtitle: string
  /** Opens the menu of actions. */
  onActions?: ((anchor: DOMRect) => void) | undefined
}) {
  return (
    <div className={classes.head}>
      <span className={`${classes.mark} c-${tone}`}>
        <Icon aria-hidden />
      </span>
      <div className={classes.headText}>
        <h2 className="cut">{title}</h2>
        <p className="small t3 cut">{subtitle}</p>
      </div>
      {onActions && (
        <ActionIcon
          className="push"
          aria-label={`Actions for ${title}`}
          aria-haspopup="menu"
          onClick={({ currentTarget }) => onActions(currentTarget.getBoundingClientRect())}
        >
          <IconDots aria-hidden />
        </ActionIcon>
      )}
    </div>
  )
}
