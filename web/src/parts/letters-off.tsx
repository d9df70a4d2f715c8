/** For who presses letters without wanting to. */
export function LettersOff() {
  return (
    <p class="count">
      Letters alone can be switched off on <a href="/account">the page of your account</a>.
    </p>
  );
}
