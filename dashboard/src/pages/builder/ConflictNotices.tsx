import { Button } from '@mantine/core'
import { useWorkspace } from '../../api/workspace.tsx'
import { Link } from '@tanstack/react-router'
import { Notice } from '../../components/Notice.tsx'
import classes from './Builder.module.css'

/** The automation was changed since the draft was begun: which of the two is meant, somebody has to say. */
export const StaleDraftNotice = ({
  savedBy,
  onDiscard,
  onKeep,
}: {
  savedBy: string | undefined
  onDiscard: () => void
  onKeep: () => void
}) => (
  <Notice className={classes.notice} title="The automation was changed since this draft was begun">
    <p className="t2">
      What you see is the draft{savedBy !== undefined && `, saved by ${savedBy}`}. Published, it takes back what was
      changed meanwhile.
    </p>
    <div className="row">
      <Button variant="filled" onClick={onDiscard}>
        Discard the draft…
      </Button>
      <Button variant="subtle" color="gray" onClick={onKeep}>
        Keep the draft
      </Button>
    </div>
  </Notice>
)

/** Somebody else has saved a draft, or ended this one: whose is meant, somebody has to say. Nothing is kept until then. */
export const DraftConflictNotice = ({ onTheirs, onMine }: { onTheirs: () => void; onMine: () => void }) => (
  <Notice className={classes.notice} title="Somebody else has edited it">
    <p className="t2">
      Another draft was saved, or published, since you have opened this one. Yours is in this page only; behind theirs
      it is one Undo away.
    </p>
    <div className="row">
      <Button onClick={onTheirs}>Look at theirs</Button>
      <Button variant="filled" onClick={onMine}>
        Keep mine
      </Button>
    </div>
  </Notice>
)

/** There is nothing to be edited any more. */
export function DeletedNotice() {
  const { workspace } = useWorkspace()
  return (
    <Notice className={classes.notice} title="This automation was deleted">
      <p className="t2">
        What you see is in this page only: copy what you need.{' '}
        <Link className="link" to="/w/$workspaceId/automations" params={{ workspaceId: workspace.id }}>
          All automations
        </Link>
      </p>
    </Notice>
  )
}
