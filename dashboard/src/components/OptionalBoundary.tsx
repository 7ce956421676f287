import { Component, type ReactNode } from 'react'

/** What a page can do without: where it cannot be shown, the page stays. */
export class OptionalBoundary extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError = () => ({ isBroken: true })

  override render() {
    return this.state.isBroken ? null : this.props.children
  }
}
