import { Link } from '@tanstack/react-router'
import { Alone } from './Alone.tsx'

export const NotFoundPage = () => (
  <Alone title="There is nothing here">
    <p className="t2">The address leads to no page of Dripline.</p>
    <p>
      <Link to="/" className="link">
        Go to the first page
      </Link>
    </p>
  </Alone>
)
