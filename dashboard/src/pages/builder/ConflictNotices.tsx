import { Button } from '@mantine/core'
import { useWorkspace } from '../../api/workspace.tsx'
import { Link } from '@tanstack/react-router'
import { Notice } from '../../components/Notice.tsx'
import classes from './Builder.module.css'

/** Asks whether to keep a draft that is based on an older version. */
export const StaleDraftNotice = ({
  savedBy,
  onDiscard,
  onKeep,
}: {
  savedBy: string | undefined
  onDiscard: () => void
  onKeep: () => void
}) => (
  <Notice className={classes.notice} title="This draft is out of date">
    <p className="t2">
      The automation changed after this draft{savedBy !== undefined && ` by ${savedBy}`} was created. Publishing the
      draft will overwrite those changes.
    </p>
    <div className="row">
      <Button variant="filled" onClick={onDiscard}>
        Discard draft…
      </Button>
      <Button variant="subtle" color="gray" onClick={onKeep}>
        Keep draft
      </Button>
    </div>
  </Notice>
)

/** Asks whose draft to keep after a conflict. Nothing is saved until the user decides. */
export const DraftConflictNotice = ({ onTheirs, onMine }: { onTheirs: () => void; onMine: () => void }) => (
  <Notice className={classes.notice} title="Someone else edited this automation">
    <p className="t2">
      A different draft was saved or published after you opened this one. Your changes haven’t been saved. If you view
      theirs, Undo brings yours back.
    </p>
    <div className="row">
      <Button onClick={onTheirs}>View theirs</Button>
      <Button variant="filled" onClick={onMine}>
        Keep mine
      </Button>
    </div>
  </Notice>
)

export function DeletedNotice() {
  const { workspace } = useWorkspace()
  return (
    <Notice className={classes.notice} title="This automation was deleted">
      <p className="t2">
        Your changes can’t be saved. Copy what you need.{' '}
        <Link className="link" to="/w/$workspaceId/automations" params={{ workspaceId: workspace.id }}>
          All automations
        </Link>
      </p>
    </Notice>
  )
}
