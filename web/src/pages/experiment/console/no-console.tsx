/** How a run gets a console, where it has none. */
export function NoConsole() {
  return (
    <p class="waiting">
      This run has no console: <code>lossless.init()</code> of the Python client keeps what a script
      prints and logs, unless it has <code>console="off"</code>.
    </p>
  );
}
