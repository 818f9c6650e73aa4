package lexical

import "strings"

// stopWords are function words by language, folded. The lists are short: a word that
// can name something in a handbook (down, off, over) is not on them.
var stopWords = map[string]map[string]bool{
	"de": set(`
		aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes
		auch auf aus bei beim bin bis bist da damit dann das dass dasselbe dazu dein deine deinem deinen
		deiner dem demselben den denn denselben der derer derselben des dessen dich die dies diese
		dieselbe diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines
		einig einige einigem einigen einiger einiges einmal er es etwas euch euer eure eurem euren eurer
		fur gegen gewesen gibt hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr
		ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jene jenem jenen
		jener jenes jetzt kann kannst kein keine keinem keinen keiner konnen konnte konnten machen man
		manche manchem manchen mancher mein meine meinem meinen meiner mich mir mit muss mussen musste
		nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner selbst sich sie
		sind so solche solchem solchen solcher soll sollte sondern sonst soviel uber um und uns unser
		unsere unserem unseren unter viel viele vom von vor wann war waren warst warum was weg weil
		weiter welche welchem welchen welcher welches wem wen wenn wer werde werden weshalb wessen wie
		wieder wieso wieviel will wir wird wirst wo wobei wodurch wofur woher wohin wohl wollen wollte
		womit wonach woran worauf worden worin worum wovon wozu wurde wurden zu zum zur zwar zwischen
	`),
	"en": set(`
		a about after again all also am an and any are arent as at be because been before being between
		both but by can cannot cant could couldnt did didnt do does doesnt doing done dont during each
		either else every few for from further had hadnt has hasnt have havent having he her here hers
		herself hes him himself his how however i if ill im in into is isnt it itll its itself ive just
		let lets like many may me might more most much must my myself neither no nor not now of on once one ones
		only onto or other others ought our ours ourselves out own per please same shall she shes should
		shouldnt since so some such than that thats the their theirs them themselves then there theres
		these they theyre theyve this those though through thus to too until up upon us use used using
		very via was wasnt we well were werent what whatever whats when whenever where wheres whether
		which while who whoever whom whos whose why will with within without wont would wouldnt yes yet
		you youll your youre yours yourself yourselves youve
	`),
	"es": set(`
		a al algo alguna algunas alguno algunos ante antes aquel aquella aquellas aquellos asi aun
		aunque bajo cada como con contra cual cuales cualquier cuando cuanta cuantas cuanto cuantos de
		del desde donde dos durante e el ella ellas ellos en entre era eran eres es esa esas ese eso
		esos esta estaba estaban estado estan estar estas este esto estos estoy fue fueron fui ha haber
		habia habian hace hacia han hasta hay he la las le les lo los mas me mi mientras mis mucho
		muchos muy nada ni no nos nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros
		para pero poco por porque puede pueden pues que quien quienes se sea ser si sido sin sobre sois
		somos son soy su sus tal tambien tan tanto te tener tengo tenia ti tiene tienen todo todos tu
		tus un una unas uno unos vosotros y ya yo
	`),
	"fr": set(`
		a ai aie ainsi alors apres as au aucun aucune aussi autre autres aux avait avant avec avez avoir
		avons bien c ca car ce ceci cela celle celles celui ces cet cette ceux chaque chez comme comment
		d dans de depuis des dois doit donc dont du elle elles en encore entre es est et etaient etait
		etant ete etes etre eu eux faire fait faut il ils j je l la le les leur leurs lors lui m ma mais
		me meme memes mes moi mon n ne ni nos notre nous on ont ou par parce pas peu peut peuvent peux
		plus pour pourquoi pouvez qu quand que quel quelle quelles quelque quelques quels qui quoi s sa
		sans se sera ses si son sont sous suis sur t ta te tes toi ton tous tout toute toutes tres tu un
		une vos votre vous y
	`),
	"hu": set(`
		a abban ahhoz ahogy ahol aki akik akkor alatt altal am amely amelyek amelyet ami amig amikor
		amit arra arrol az azert azok azon azonban azt aztan azutan azzal bar be belul benne csak de e
		ebben eddig egy egyeb egyes egyetlen egyik egyre ekkor el elott elso en ennek erre ert es ez
		ezek ezen ezert ezt ezzel fel fele ha hanem hat hiszen hogy hogyan hol honnan hova igen igy
		illetve ilyen is ismet itt jo kell kellett ki kik kivul koze kozott kozul le legyen lehet lesz
		lett ma maga magat majd meg mely melyek melyik mert mi miatt mig mikent mikor milyen mind minden
		mindig mint mintha mit mivel most nagyon ne nehany nekem nelkul nem nincs o ok oket olyan ossze
		ot pedig persze s sajat sem semmi sok sokat sot szamara szerint szinte talan te tehat teljes
		tobb tovabb tovabba ugy ugyanis uj ura utan utana vagy vagyis vagyok valaki valami valamint van
		vannak vele viszont volna volt voltak
	`),
	"no": set(`
		alle andre at av bade bare begge ble blei bli blir blitt da de deg dei deim deira deires dem den
		denne der dere deres det dette di din disse ditt du dykk dykkar eg ein eit eitt eller elles en
		er et ett etter for fordi fra ha hadde han hans har hennar henne hennes her hit hja ho hoe honom
		hoss hossen hun hva hvem hver hvilke hvilken hvilket hvis hvor hvordan hvorfor i ikke ikkje
		ingen ingi inkje inn inni ja jeg kan kom korleis korso kun kunne kva kvar kvarhelst kven kvi
		kvifor man mange me med medan meg meget mellom men mi min mine mitt mot mykje na nar ned no noe
		noen noka noko nokon nokor nokre og ogsa om opp oss over pa sa samme sann seg selv si sia sidan
		siden sin sine sitt sjol skal skulle slik so som somme somt til um upp ut uten vaere vaert var
		vare vart ved vere verte vi vil ville vore vors vort
	`),
	"ru": set(`
		а без более больше будет будто бы был была были было быть в вам вас вдруг ведь во вот впрочем
		все всегда всего всех всю вы где да даже два для до другой его ее ей ему если есть еще ж же за
		зачем здесь и из или им иногда их к как какая какие какой каком когда конечно которая которого
		которое которой которые который кто куда ли лучше между меня мне много может можно мой моя мы на
		над надо наконец нас не него нее ней нельзя нет ни нибудь никогда ним них ничего но ну о об один
		он она они оно опять от перед по под после потом потому почему почти при про раз разве с сам
		свое свою себе себя сейчас сколько со совсем так такой там тебя тем теперь то тогда того тоже
		только том тот три тут ты у уж уже хорошо хоть чего чей чем через что чтоб чтобы чуть эти этим
		этих это этого этой этом этот эту я
	`),
	"sv": set(`
		alla allt an andra at att av bara blev bli blir blivit da dar de dem den denna deras dess dessa
		det detta dig din dina ditt du efter ej eller en er era ert ett for fran ha hade han hans har
		henne hennes hon honom hur i icke ingen inom inte ja jag kan kunde man manga med mellan men mig
		min mina mitt mot mycket nagon nagot nagra nar ni nu och om oss pa sa sadan sadana sadant samma
		sedan sig sin sina sitta sjalv ska skall skulle som till under upp ut utan vad var vara varfor
		varit varje vars vart vem vi vid vilka vilkas vilken vilket vill
	`),
}

// scaffolding frames a question and says nothing about its subject, if it stands in
// its head among stop words: where can i find, please explain how.
var scaffolding = set(`
	anyone appelle bedeutet befindet define describe encontrar encuentro erklare exactly explain
	explica explique find finde finden get gets give heisst hello help hi hiess hiessen info
	information know lautet lautete list llama llamaba look looking mean means meant nannte need
	nennt possible question say show significa signifie someone tell thanks trouve trouver
	understand want way ways wonder wondering zeig zeige
`)

// measures ask how much of something, after "how" or "wie".
var measures = set(`big deep early far fast frequently high large late long often old soon tall wide
	alt fruh gross hoch lang lange oft schnell spat teuer weit`)

// asking blanks out what only asks or joins in Chinese, Japanese and Korean.
var asking = strings.NewReplacer(blanks(`为什么 為什麼 什么 什麼 哪一个 哪一個 哪个 哪個 哪些 哪里 哪裡 哪位 哪种 哪種
	哪年 哪 谁 誰 多少 几个 幾個 怎么样 怎么 怎麼 怎样 怎樣 如何 是否 请问 請問 吗 嗎 呢 的 了 是 在 和 与 與 被 把
	ですか ますか でしょうか ください どのように どのような どうやって どうすれば どこ どれ どの なぜ いつ だれ
	何ですか は が を に で と の も へ
	무엇 언제 어디 어떻게 누구 왜 입니까 습니까`)...)

func blanks(words string) []string {
	var pairs []string
	for _, w := range strings.Fields(words) {
		pairs = append(pairs, w, " ")
	}
	return pairs
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
