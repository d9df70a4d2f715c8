import { useContext, useLayoutEffect, useState } from "preact/hooks";
import { messageOf } from "../../../parts/words.ts";
import { PicturesContext } from "./report-pictures.ts";

interface Props {
  /** Its name behind `picture:`. */
  picture: string;
  words: string;
  title: string | undefined;
}

/** A picture of one's own in a text of a report. */
export function ReportPicture({ picture, words, title }: Props) {
  const pictures = useContext(PicturesContext);
  const [read, setRead] = useState<{ address?: string; problem?: string }>({});
  const address = read.address ?? pictures?.known(picture);
  useLayoutEffect(() => {
    let isWanted = true;
    pictures?.address(picture).then(
      (found) => isWanted && setRead({ address: found }),
      (error: unknown) => isWanted && setRead({ problem: messageOf(error) }),
    );
    return () => {
      isWanted = false;
      setRead({});
    };
  }, [pictures, picture]);
  if (pictures === undefined) return <>picture: {words}</>;
  if (address !== undefined)
    return <img class="own" src={address} alt={words} title={title} data-picture={picture} />;
  if (read.problem === undefined)
    return (
      <span class="count" data-waiting="">
        picture: {words} …
      </span>
    );
  return (
    <span class="count">
      picture: {words} ({read.problem})
    </span>
  );
}
