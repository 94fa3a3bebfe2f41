const SHAPE = 'M3 8.4 12 3l9 5.4v7.2L12 21l-9-5.4zM3.4 8.7 12 13.6l8.6-4.9M12 13.6V21'

/** The sign of the service. */
export const Logo = ({ size = 20 }: { size?: number }) => (
  <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
    <path d={SHAPE} />
  </svg>
)
