// emojis.ts lists the emoji of each group with the words they are found by.

/** A sign and its words. */
export type Sign = [string, string];

const of = (list: string): Sign[] =>
  list.split(",").map((one) => {
    const at = one.indexOf(" ");
    return [one.slice(0, at), one.slice(at + 1)];
  });

export const ALL = [
  "😀 grin happy,😃 smile happy,😄 laugh happy,😁 beam,😂 joy tears laugh,🤣 rolling laugh,🙂 slight smile,😉 wink," +
    "😊 blush smile,😇 angel innocent,🥰 love hearts,😍 love eyes,🤩 star eyes wow,😘 kiss,😋 yum tasty," +
    "😜 tongue wink,🤗 hug,🤫 quiet,🤔 think hmm,😐 neutral,😑 blank,😴 sleep tired,🤯 mind blown,🥳 party," +
    "😎 cool sunglasses,😟 worried,🙁 frown,😮 surprised oh,🥺 pleading please,😢 cry sad,😭 sob sad,😱 scream fear," +
    "😡 angry,🤖 robot bot",
  "👍 thumbs up yes good,👎 thumbs down no bad,👌 ok fine,✌️ victory peace,👉 right,✋ hand stop,👋 wave hello bye," +
    "👏 clap bravo,🙌 hooray hands,🙏 thanks please pray,🤝 deal handshake,💪 strong muscle,👀 eyes look,👶 baby," +
    "👩 woman,👨 man,🤷 shrug,🤦 facepalm,🧑‍💻 computer developer,❤️ heart love,💚 green heart,💙 blue heart," +
    "💔 broken heart",
  "🐶 dog,🐱 cat,🎄 tree christmas,🍀 clover luck,🌹 rose,🌍 earth world,🌙 moon,⭐ star,☀️ sun,🌧️ rain," +
    "⚡ lightning,❄️ snow cold,🔥 fire hot,🌈 rainbow",
  "🍌 banana,🍞 bread,🍔 burger,🍕 pizza,🍦 ice cream,🍪 cookie,🎂 cake birthday,☕ coffee",
  "⚽ football soccer,🚴 bike,🏆 trophy win,🥇 gold medal first,🎮 game,🎉 party tada,🎁 gift present,🚗 car," +
    "✈️ plane flight,🚀 rocket launch,🏠 house home,🏖️ beach,⏰ alarm clock",
  "📱 phone,💻 laptop computer,📷 camera,💡 idea light,💰 money,💳 card pay,📦 package parcel,✉️ letter," +
    "📄 page document,✂️ scissors,🔒 lock,🔑 key,🛒 cart shop,📅 calendar date,📈 chart up,✅ check done yes," +
    "❌ cross no wrong,❗ exclamation important,❓ question,💯 hundred,➕ plus,⚠️ warning,🚫 forbidden,🔴 red," +
    "🟢 green,🔵 blue",
].map(of);
